"""The shipped rubric documents, as package data; `config.rubric_store` loads them."""
