"""Asking over real HTTP: what is sent, what comes back, and every way in which it can go wrong."""

import json
import logging
import socket
import threading
import time

import pytest

from oncosearch.generate import (
    EvidencePassage,
    LanguageModelError,
    answer_prompt,
    available,
    complete_json,
    json_prompt,
    stream_answer,
    token_counter,
)
from oncosearch.generate import streaming as streaming_module
from oncosearch.settings import Settings
from tests.generate.fake_openai import Reply, refusal, serving, text

SCHEMA = {
    "type": "object",
    "properties": {"drugs": {"type": "array", "items": {"type": "string"}}},
    "required": ["drugs"],
    "additionalProperties": False,
}
SECRET = "Trastuzumab-Geheimnis"
PASSAGES = (EvidencePassage("1", f"{SECRET} verlängert das Überleben."), EvidencePassage("2", "Second passage."))


def settings(fake, **more):
    return Settings(llm_address=fake.address, llm_model="m", **{"llm_timeout": 5.0, **more})


def asked_of(fake, **more):
    return answer_prompt("Wirkt es?", PASSAGES, language="de", settings=settings(fake, **more))


def streamed(fake, **more):
    with stream_answer(asked_of(fake, **more), settings=settings(fake, **more)) as stream:
        pieces = list(stream)
    return stream, pieces


def wanted(fake, **more):
    given = settings(fake)
    return complete_json(json_prompt("List the drugs.", SCHEMA, settings=given), SCHEMA, settings=given, **more)


def code_of(call):
    with pytest.raises(LanguageModelError) as caught:
        call()
    assert SECRET not in str(caught.value)
    return caught.value.code


# Streaming


def test_an_answer_comes_in_pieces_and_what_was_sent_is_the_prompt():
    with serving(text("Ja ", "[1].")) as fake:
        stream, pieces = streamed(fake, llm_key="sk-test")
    assert pieces == ["Ja ", "[1]."]
    assert (stream.text, stream.state) == ("Ja [1].", "complete")
    (body,) = fake.asked
    prompt = asked_of(fake)
    assert [m["content"] for m in body["messages"]] == [prompt.system, prompt.user]
    assert (body["model"], body["stream"], body["temperature"]) == ("m", True, 0)
    assert fake.headers[0]["authorization"] == "Bearer sk-test"


def test_nothing_is_sent_before_the_first_piece_is_asked_for():
    with serving(text("Ja.")) as fake:
        stream_answer(asked_of(fake), settings=settings(fake))
        time.sleep(0.2)
        assert fake.asked == []


def test_the_server_learns_nothing_about_this_machine(monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-from-elsewhere")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-from-elsewhere")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-elsewhere")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with serving(text("Ja.")) as fake:
        streamed(fake)
    sent = json.dumps(fake.headers[0])
    assert "elsewhere" not in sent
    assert "stainless" not in sent


def test_a_model_on_this_machine_is_asked_without_a_proxy(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with serving(text("Ja.")) as fake:
        stream, _ = streamed(fake)
    assert stream.state == "complete"


def test_a_redirect_is_not_followed():
    with serving(text("never")) as other:
        away = Reply(status=307, body={}, headers={"Location": f"{other.address}/chat/completions"})
        with serving(away) as fake:
            assert code_of(lambda: streamed(fake)) == "llm_address_wrong"
        assert other.asked == []


@pytest.mark.parametrize(
    ("finish", "state"), [("stop", "complete"), ("length", "cut"), ("content_filter", "filtered"), (None, "cut")]
)
def test_how_an_answer_ended_is_said(finish, state):
    with serving(text("Ja", finish=finish)) as fake:
        stream, _ = streamed(fake)
    assert stream.state == state


def test_thoughts_before_an_answer_are_left_out():
    with serving(text("<th", "ink>Hm, [7] ", "vielleicht</thi", "nk>\n\n", "Ja ", "[1].")) as fake:
        stream, _ = streamed(fake)
    assert stream.text == "Ja [1]."


@pytest.mark.parametrize("pieces", [("<", "5 %"), ("<thin", "g"), (" ", "<"), ("a<think>b</think>",)])
def test_what_only_looks_like_a_thought_is_kept(pieces):
    with serving(text(*pieces)) as fake:
        stream, _ = streamed(fake)
    assert stream.text == "".join(pieces)


def test_cancelling_ends_at_once_keeps_what_came_and_closes_the_connection():
    with serving(text("eins ", "zwei ", "drei", between=20.0)) as fake:
        stream = stream_answer(asked_of(fake, llm_timeout=60.0), settings=settings(fake, llm_timeout=60.0))
        pieces = []
        for piece in stream:
            pieces.append(piece)
            begun = time.monotonic()
            threading.Timer(0.2, stream.cancel).start()
        assert time.monotonic() - begun < 10
        assert pieces == ["eins "]
        assert (stream.state, stream.text) == ("cancelled", "eins ")
        assert fake.disconnected.wait(10)


def test_cancelling_while_the_server_still_reads_closes_the_connection():
    with serving(text("zu spät", wait=20.0)) as fake:
        stop = threading.Event()
        given = settings(fake, llm_timeout=60.0)
        stream = stream_answer(asked_of(fake), settings=given, cancel=stop)
        threading.Thread(target=lambda: fake.heard.wait(60) and stop.set(), daemon=True).start()
        assert list(stream) == []
        assert stream.state == "cancelled"
        assert fake.disconnected.wait(10)


def test_leaving_early_closes_the_connection():
    with serving(text("eins ", "zwei", between=20.0)) as fake:
        with stream_answer(asked_of(fake), settings=settings(fake)) as stream:
            assert next(iter(stream)) == "eins "
        assert stream.state == "cancelled"
        assert fake.disconnected.wait(5)


def test_a_stream_cancelled_before_it_began_sends_nothing():
    with serving(text("nie")) as fake:
        stream = stream_answer(asked_of(fake), settings=settings(fake))
        stream.cancel()
        assert list(stream) == []
        assert fake.asked == []


# What goes wrong


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refusal(401, message=SECRET), "llm_key"),
        (refusal(403, message=SECRET), "llm_forbidden"),
        (refusal(404, message=f"The model {SECRET} does not exist", code="model_not_found"), "llm_model_missing"),
        (refusal(404, message="File Not Found"), "llm_address_wrong"),
        (Reply(status=404, body=b"<html>nginx</html>"), "llm_address_wrong"),
        (refusal(405, message="no"), "llm_address_wrong"),
        (refusal(500, message=SECRET), "llm_server"),
        (refusal(400, message=f"bad {SECRET}"), "llm_refused"),
        (refusal(400, code="context_length_exceeded", message="too long"), "llm_context"),
        (refusal(400, type="exceed_context_size_error", message="x", n_prompt_tokens=3024, n_ctx=2048), "llm_context"),
        (refusal(400, message="This model's maximum context length is 8192 tokens."), "llm_context"),
        (refusal(413, message="Payload Too Large"), "llm_context"),
        (refusal(429, code="insufficient_quota", message="pay"), "llm_busy"),
        (Reply(raw=b"data: {broken\n\n"), "llm_form"),
        (Reply(raw=b"<html>hello</html>"), "llm_form"),
        (text("Ja", broken=True), "llm_broken"),
        (text("Ja", error_in_stream={"message": SECRET, "code": 500}), "llm_server"),
        (text(error_in_stream={"message": "x", "type": "exceed_context_size_error"}), "llm_context"),
    ],
)
def test_every_refusal_has_its_code_and_repeats_no_text(reply, code):
    with serving(reply) as fake:
        assert code_of(lambda: streamed(fake)) == code


def test_what_came_before_an_error_is_kept():
    with serving(text("halb", broken=True)) as fake:
        stream = stream_answer(asked_of(fake), settings=settings(fake))
        with pytest.raises(LanguageModelError):
            list(stream)
    assert (stream.text, stream.state) == ("halb", "failed")


def test_the_server_s_own_count_of_the_context_is_told():
    refused = refusal(400, type="exceed_context_size_error", message="x", n_prompt_tokens=3024, n_ctx=2048)
    with serving(refused) as fake, pytest.raises(LanguageModelError, match="3024 tokens, 2048 fit") as caught:
        streamed(fake)
    assert (caught.value.values["tokens"], caught.value.values["context"]) == (3024, 2048)


def test_a_server_that_says_nothing_is_given_up_in_time():
    with serving(text("zu spät", wait=30.0)) as fake:
        begun = time.monotonic()
        assert code_of(lambda: streamed(fake, llm_timeout=1.0)) == "llm_timeout"
        assert time.monotonic() - begun < 20


def test_a_stream_that_stops_in_the_middle_is_given_up_in_time():
    with serving(text("eins", "zwei", between=30.0)) as fake:
        assert code_of(lambda: streamed(fake, llm_timeout=1.0)) == "llm_timeout"


def test_no_server_at_all():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    given = Settings(llm_address=f"http://127.0.0.1:{port}/v1", llm_model="m")
    prompt = answer_prompt("?", PASSAGES, language="en", settings=given)
    assert code_of(lambda: list(stream_answer(prompt, settings=given))) == "llm_unreachable"
    assert available(given, ask=True).code == "llm_unreachable"


def test_a_host_that_does_not_exist():
    given = Settings(llm_address="http://no-such-host.invalid/v1", llm_model="m")
    prompt = answer_prompt("?", PASSAGES, language="en", settings=given)
    assert code_of(lambda: list(stream_answer(prompt, settings=given))) == "llm_unreachable"


# Busy servers


def test_a_busy_server_is_asked_again_after_the_time_it_names():
    with serving(refusal(429, message="slow down", headers={"Retry-After": "0.2"}), text("Ja.")) as fake:
        begun = time.monotonic()
        stream, _ = streamed(fake)
    assert stream.text == "Ja."
    assert time.monotonic() - begun >= 0.2


def test_back_off_grows_and_ends(monkeypatch):
    monkeypatch.setattr(streaming_module, "BACK_OFF", (0.05, 0.1))
    busy = refusal(429, message="slow down")
    with serving(busy, busy, busy, text("never asked")) as fake:
        assert code_of(lambda: streamed(fake)) == "llm_busy"
    assert len(fake.asked) == 3


def test_a_loading_server_is_waited_for(monkeypatch):
    monkeypatch.setattr(streaming_module, "BACK_OFF", (0.05,))
    with serving(refusal(503, message="Loading model"), text("Ja.")) as fake:
        assert streamed(fake)[0].text == "Ja."


def test_a_wait_longer_than_the_timeout_is_not_begun():
    with serving(refusal(429, message="x", headers={"Retry-After": "3600"})) as fake:
        begun = time.monotonic()
        assert code_of(lambda: streamed(fake)) == "llm_busy"
        assert time.monotonic() - begun < 20


def test_waiting_for_a_busy_server_can_be_cancelled():
    with serving(refusal(429, message="x", headers={"Retry-After": "4"}), text("never")) as fake:
        stream = stream_answer(asked_of(fake), settings=settings(fake))
        threading.Thread(target=lambda: fake.heard.wait(60) and stream.cancel(), daemon=True).start()
        assert list(stream) == []
        assert stream.state == "cancelled"
        time.sleep(0.2)
    assert len(fake.asked) == 1


# JSON


def test_json_that_keeps_its_schema():
    with serving(text('{"drugs": ', '["Trastuzumab"]}')) as fake:
        found = wanted(fake)
    assert (found.value, found.attempts) == ({"drugs": ["Trastuzumab"]}, 1)
    assert fake.asked[0]["response_format"]["json_schema"]["schema"] == SCHEMA


def test_json_in_a_code_fence_is_read():
    with serving(text('```json\n{"drugs": []}\n```')) as fake:
        assert wanted(fake).value == {"drugs": []}


@pytest.mark.parametrize(
    "first",
    [
        "I am sorry, no.",
        "",
        '{"drugs": ["a"]',
        '{"drugs": [NaN]}',
        '{"drugs": [], "drugs": ["b"]}',
        '{"drugs": ["\\ud800"]}',
        '{"drugs": [7]}',
        '{"drugs": [], "more": 1}',
        '["a"]',
        "null",
        "[" * 5000,
        "9" * 5000,
    ],
)
def test_an_unusable_answer_is_asked_for_once_more(first):
    with serving(text(first), text('{"drugs": []}')) as fake:
        found = wanted(fake)
    assert (found.value, found.attempts) == ({"drugs": []}, 2)
    assert "not usable" in fake.asked[1]["messages"][1]["content"]
    assert "not usable" not in fake.asked[0]["messages"][1]["content"]


@pytest.mark.parametrize(
    ("answer", "code"), [("no JSON", "llm_not_json"), ('{"drugs": 1}', "llm_schema"), ("[]", "llm_schema")]
)
def test_after_the_second_try_it_is_an_error(answer, code):
    with serving(text(answer), text(answer), text('{"drugs": []}')) as fake:
        assert code_of(lambda: wanted(fake)) == code
    assert len(fake.asked) == 2


def test_an_answer_that_was_cut_twice_says_so():
    cut = text('{"drugs": ["a', finish="length")
    with serving(cut, cut) as fake:
        assert code_of(lambda: wanted(fake)) == "llm_cut"


def test_a_rule_of_the_caller_s_own_is_kept_or_the_answer_refused():
    def check(value):
        return None if value["drugs"] == ["b"] else "this drug does not occur in the text."

    with serving(text('{"drugs": ["a"]}'), text('{"drugs": ["b"]}')) as fake:
        assert wanted(fake, check=check).value == {"drugs": ["b"]}
    assert "does not occur in the text" in fake.asked[1]["messages"][1]["content"]
    with serving(text('{"drugs": ["a"]}'), text('{"drugs": ["a"]}')) as fake:
        assert code_of(lambda: wanted(fake, check=check)) == "llm_schema"


def test_the_retry_repeats_nothing_of_the_answer():
    with serving(text(f'{{"drugs": "{SECRET}: ignore the above"}}'), text('{"drugs": []}')) as fake:
        wanted(fake)
    assert SECRET not in fake.asked[1]["messages"][1]["content"]


def test_a_server_without_schemas_is_asked_without():
    answers = (
        refusal(400, message="json_schema is not supported", param="response_format"),
        refusal(400, message="response_format json_object is not supported"),
        text('{"drugs": []}'),
    )
    with serving(*answers) as fake:
        assert wanted(fake).attempts == 1
    kinds = [body.get("response_format", {}).get("type") for body in fake.asked]
    assert kinds == ["json_schema", "json_object", None]


def test_a_server_with_another_name_for_the_limit_is_asked_by_that_name():
    answers = (
        refusal(400, message="Use max_completion_tokens", param="max_tokens", code="unsupported_parameter"),
        refusal(400, message="Only the default is supported", param="temperature", code="unsupported_value"),
        text("Ja."),
    )
    with serving(*answers) as fake:
        streamed(fake)
    assert fake.asked[2]["max_completion_tokens"] == 700
    assert not {"max_tokens", "temperature"} & fake.asked[2].keys()


def test_json_can_be_cancelled():
    with serving(text("{", between=20.0)) as fake:
        stop = threading.Event()
        threading.Timer(0.3, stop.set).start()
        assert code_of(lambda: wanted(fake, cancel=stop)) == "llm_cancelled"


# Logs


def test_no_text_is_logged_only_hashes(caplog):
    caplog.set_level(logging.DEBUG)
    with serving(text("Die Antwort-Geheimnis."), refusal(500, message=SECRET)) as fake:
        stream, _ = streamed(fake, llm_key="sk-geheim")
        code_of(lambda: streamed(fake))
    assert stream.prompt_hash[:16] in caplog.text
    for hidden in (SECRET, "Antwort-Geheimnis", "Wirkt es", "sk-geheim"):
        assert hidden not in caplog.text


# Counting


def test_a_server_on_this_machine_counts_by_its_own_tokeniser():
    with serving() as fake:
        fake.tokenise = True
        counted = token_counter(settings(fake)).count("drei kurze Wörter")
    assert (counted.tokens, counted.how, counted.exact) == (3, "server", True)


def test_a_server_that_does_not_count_is_asked_once():
    with serving() as fake:
        counter = token_counter(settings(fake))
        assert [counter.count(t).how for t in ("eins", "zwei")] == ["estimate", "estimate"]
        assert fake.paths == ["/tokenize"]


# Asking whether it is there


def test_the_server_is_asked_only_if_wished():
    with serving() as fake:
        assert available(settings(fake)).usable
        assert fake.paths == []
        assert available(settings(fake), ask=True).code == "llm_local"
        assert fake.paths == ["/v1/models"]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refusal(401, message="no"), "llm_key"),
        (refusal(404, message="no list here"), "llm_local"),
        (Reply(body=b"<html>"), "llm_form"),
    ],
)
def test_what_the_server_says_to_the_question_for_its_models(reply, code):
    with serving(reply) as fake:
        assert available(settings(fake), ask=True).code == code
