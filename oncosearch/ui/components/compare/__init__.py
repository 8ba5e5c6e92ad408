"""Parts of the comparison page: columns side by side, pairs, "Where is …?", a topic set with its plots."""
