"""What an evaluation computes from qrels and runs: knows no store and no retriever."""

from oncosearch.evaluate.evaluation import NO_RELEVANT, Estimate, Evaluation, evaluate
from oncosearch.evaluate.export import csv_table, to_csv, to_dict, to_json, to_latex, topics_to_csv
from oncosearch.evaluate.measures import DEFAULT_MEASURES, KNOWN_MEASURES, TEST_MEASURE, Measure, parse_measures
from oncosearch.evaluate.order import ranked
from oncosearch.evaluate.outcome import Outcome, outcome_of
from oncosearch.evaluate.rules import RULES, TREC_RULES, Rules
from oncosearch.evaluate.significance import FEWEST_DIFFERING, Comparison, Comparisons, compare_runs
from oncosearch.evaluate.tables import Cell, Column, Note, Table, pair_table, result_tables
from oncosearch.evaluate.wording import caption, cell_text, heading, note_text

__all__ = [
    "DEFAULT_MEASURES",
    "FEWEST_DIFFERING",
    "KNOWN_MEASURES",
    "NO_RELEVANT",
    "RULES",
    "TEST_MEASURE",
    "TREC_RULES",
    "Cell",
    "Column",
    "Comparison",
    "Comparisons",
    "Estimate",
    "Evaluation",
    "Measure",
    "Note",
    "Outcome",
    "Rules",
    "Table",
    "caption",
    "cell_text",
    "compare_runs",
    "csv_table",
    "evaluate",
    "heading",
    "note_text",
    "outcome_of",
    "pair_table",
    "parse_measures",
    "ranked",
    "result_tables",
    "to_csv",
    "to_dict",
    "to_json",
    "to_latex",
    "topics_to_csv",
]
