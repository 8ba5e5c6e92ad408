"""Literature: from a question to PubMed evidence (CoMeta)."""
