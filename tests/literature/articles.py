"""Made-up articles for the tests of literature."""

from pathlib import Path

from oncosearch.literature.article import Article, Document, DocumentSection, MeshHeading, PublicationDate, Section
from tests.paths import ROOT

DATA = ROOT / "tests" / "data" / "literature"

ARTICLES = (
    Article(
        pmid="101",
        title="Osimertinib in EGFR-mutated lung cancer",
        abstract=(Section("BACKGROUND", "T790M and TNF-α."), Section("RESULTS", "Survival was longer (P<0.001).")),
        journal="Journal of invented oncology",
        journal_short="J Invent Oncol",
        date=PublicationDate(2019, 3, 9),
        publication_types=("Journal Article", "Randomized Controlled Trial"),
        mesh=(
            MeshHeading("Carcinoma, Non-Small-Cell Lung", ("drug therapy",), major=True),
            MeshHeading("Humans"),
        ),
        keywords=("tyrosine kinase inhibitor",),
        authors=("Müller AL", "Roe R"),
        languages=("eng",),
        doi="10.1000/a",
        pmcid="PMC7001",
    ),
    Article(
        pmid="102",
        title="Lung cancer screening: a review",
        abstract=(Section("", "Screening of the lung finds cancer early."),),
        journal="Reviews",
        date=PublicationDate(2015, 7),
        publication_types=("Review",),
        mesh=(MeshHeading("Lung Neoplasms", ("diagnosis", "prevention & control")), MeshHeading("Humans")),
        authors=("Roe RB",),
        languages=("eng",),
        pmcid="PMC7002",
    ),
    Article(
        pmid="103",
        title="[Tamoxifen for breast cancer.]",
        vernacular_title="Tamoxifen bei Brustkrebs.",
        date=PublicationDate(2011),
        publication_types=("Journal Article", "Retracted Publication"),
        mesh=(MeshHeading("Breast Neoplasms", ("drug therapy",)), MeshHeading("Mice")),
        authors=("Smith J",),
        languages=("ger",),
    ),
    Article(pmid="104", title="Lungs of mice", abstract=(Section("", "No tumour was found in mice."),)),
)
DOCUMENT = Document(
    pmcid="PMC7002",
    title="Lung cancer screening: a review",
    sections=(
        DocumentSection((), ("Opening.",)),
        DocumentSection(("Methods",), ("We read.", "We counted.")),
        DocumentSection(("Methods", "Statistics"), ("p < 0.05 counted.",)),
    ),
    pmid="102",
    article_type="review-article",
)


def write(folder: Path, name: str, content: bytes | str) -> Path:
    """Return the path of a new file."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
