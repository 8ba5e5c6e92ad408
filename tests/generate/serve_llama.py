"""Serves a GGUF file on 127.0.0.1 in a process of its own: ``python -m tests.generate.serve_llama FILE PORT``.

Prints ``ready`` when it listens and ends when its standard input is closed.
"""

import sys

import xllamacpp


def main(path: str, port: str) -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = path
    parameters.port = int(port)
    parameters.n_ctx = 2048
    parameters.warmup = False
    # More threads wait for each other on a busy machine.
    parameters.cpuparams.n_threads = 1
    server = xllamacpp.Server(parameters)
    print("ready", server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
