"""Annotate: a rater's sessions, the desk where cards are graded, and what the owner of a session looks after."""

from oncosearch.ui.components.annotation.adjudicate import adjudication
from oncosearch.ui.components.annotation.desk import desk, follow
from oncosearch.ui.components.annotation.look import look
from oncosearch.ui.components.annotation.manage import manage
from oncosearch.ui.components.annotation.plan import new_session
from oncosearch.ui.components.annotation.rater import ask_name, current_rater, keep_rater
from oncosearch.ui.components.annotation.sessions import session_list
from oncosearch.ui.page import Page, begin_page, end_page


def whole(page: Page, rater: str) -> None:
    """Show what the address names: the sessions, a new one, or one of them."""
    view = page.view
    if view.task == "new":
        new_session(page, rater)
    elif view.session is None:
        session_list(page, rater)
    elif view.task == "manage":
        manage(page, rater)
    elif view.task == "adjudicate":
        adjudication(page, rater)
    else:
        desk(page, rater)


follow()
page = begin_page("annotate")
with page.guarded():
    look()
    name = current_rater()
    keep_rater(name or "")
    if name is None:
        ask_name(page)
    else:
        whole(page, name)
end_page(page)
