"""The page of a service: what runs, how it does, and what needs somebody."""

from bandstrap.service.page.page import page_html, page_policy

__all__ = ["page_html", "page_policy"]
