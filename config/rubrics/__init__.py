"""The shipped rubric documents, as package data; `config.rubrics_in_force` loads them."""
