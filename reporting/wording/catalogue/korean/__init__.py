"""The Korean texts, a module per area; written first."""
