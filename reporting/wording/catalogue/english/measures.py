"""English texts: the same keys as in `reporting.wording.catalogue.korean.measures`."""

from __future__ import annotations

from collections.abc import Mapping

MEASURES_EN: Mapping[str, str] = {
    "metric.measure": "Measure",
    "measures.title": "Measures",
    "measures.told": "Sums and means over the items that have a value; a blank does not count as 0 but under ‘No value’. The range (95%) says how far the mean could move if other queries of the same kind had been asked. ‘Per answered item’ is the sum divided by the number of answered items. {rule}",
    "measures.named": "{title} ({unit})",
    "measures.column": "Column: {places}",
    "measures.payload": "Paths in Raw JSON: {places}",
    "measures.sum": "Sum",
    "measures.mean": "Mean",
    "measures.max": "Largest",
    "measures.per-answered": "Per answered item",
    "measures.missing": "No value",
    "measures.sure": "{value} ({low} to {high})",
    "values.measures": "Measures",
    "values.measure": "{title}: {name}, {source}, better: {better}",
    "values.better.lower": "lower",
    "values.better.higher": "higher",
    "values.better.none": "neither",
    "compare.verdict.changed": "changed",
    "gate.reason.no-direction": "the document does not say whether high or low values of {name} are better, so it cannot be called worse",
    "brief.measure-unusable": "measured values not used: {n}",
    "finding.measure-unusable": "Measured values that could not be read as a number were not used: {n}",
    "fix.measure-unusable": "Write a number like `1234.5`, alone or with the unit of the document before or after it, or leave it empty",
    "place.measure-unusable": "{measure} '{value}'",
    "brief.measure-absent": "measures without their column: {n}",
    "finding.measure-absent": "Measures of the rubric document whose column the file does not have: {n}",
    "fix.measure-absent": "Correct the column under `measures` in the document, or export that column too",
    "place.measure-absent": "{measure} ({value})",
    "what.rubric-measure-twice": "The measure '{value}' is declared twice",
    "fix.rubric-measure-twice": "Merge them, or rename one",
    "what.rubric-measure-decimals": "The value {value} at {path} cannot be used",
    "fix.rubric-measure-decimals": "Write a whole number from 0 to {limit}",
    "what.rubric-measure-no-payload": "The measure '{value}' is looked for in Raw JSON, but no column `raw_json` is declared",
    "fix.rubric-measure-no-payload": "Declare `raw_json` under columns, or give the measure a `column`",
}
