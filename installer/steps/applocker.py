"""What the AppLocker sample for IT allows."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from steps.product import INSTALLER

SAMPLE = INSTALLER / "deploy" / "applocker.xml"


def library_publishers() -> set[str]:
    """The publishers, as AppLocker writes them, whose libraries the sample's rules allow."""
    rules = ElementTree.parse(SAMPLE).getroot().iterfind("RuleCollection[@Type='Dll']//FilePublisherCondition")
    return {rule.get("PublisherName", "") for rule in rules}
