"""The papers, in the order of the report."""

from claims import agpucb, cmbo, deltabo, envelope, uhebo

PAPERS = {each.PAPER.name: each.PAPER for each in (deltabo, cmbo, agpucb, envelope, uhebo)}
