"""Parts of the annotation page: who rates, the sessions, the desk with card, buttons and list, the owner's tasks."""
