"""A client of Broadsheet, typed by ariadne-codegen: blog_client is what it writes."""

from blog_client import BlogClient
from blog_client.input_types import UpdateUserInput


def connect(url: str, token: str) -> BlogClient:
    return BlogClient(url=url, headers={"Authorization": f"Bearer {token}"})


async def titles(client: BlogClient, pages: int) -> list[str]:
    """The titles of the feed, page by page."""
    found: list[str] = []
    after = None
    for _ in range(pages):
        page = (await client.feed(first=5, after=after)).feed
        found += [edge.node.title for edge in page.edges]
        if not page.page_info.has_next_page:
            break
        after = page.page_info.end_cursor
    return found


async def rename(client: BlogClient, username: str):
    """What is not given is not sent, and stays as it is. `bio=None` would be sent, and clear it."""
    return (await client.edit_profile(UpdateUserInput(username=username))).update_user
