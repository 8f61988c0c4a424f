"""The parts of a comparison's report, each with the CSV file that it writes."""

from harness import against, branches, comparison, results, tables


def compare(arguments, rows, recorded, presets, groups, checkpoints, before):
    """`recorded` are the rows of peers that began with nothing."""
    own = results.own_curves(rows, presets)
    peers = results.recorded_curves(arguments.data, arguments.peers)
    if not peers.methods() and arguments.peers != "none":
        print(f"No recorded peers in {arguments.data}; --data or SLIPSTREAM_EVIDENCE_DATA names "
              "the folder with data/ and peers/.")
    results.add_rows_from_nothing(peers, recorded)
    if arguments.unit != "own":
        units = results.regret_units(rows, arguments.unit)
        own, peers = own.divided_by(units), peers.divided_by(units)
    return comparison.Comparison(own, peers, groups, checkpoints, before, arguments.unit)


def peers_lines(compared, summary, folder):
    """Compares the presets with recorded peers."""
    lines = tables.summary_lines(compared, summary) + tables.rank_lines(compared)
    differences = []
    for preset in compared.presets:
        for group in compared.groups():
            lines += tables.verdict_lines(compared, preset, group)
            differences += compared.differences(preset, group)
    results.write_csv(folder / "differences.csv", differences)
    return lines


def against_lines(arguments, compared, sections, folder):
    """Compares the presets with one of them."""
    table = against.Against(compared, arguments.against, arguments.margin, sections)
    results.write_csv(folder / "against.csv", table.rows())
    results.write_csv(folder / "against_totals.csv", table.totals())
    results.write_csv(folder / "against_ranks.csv", table.rank_rows())
    return tables.against_lines(table)


def branch_lines(compared, rows, recorded, folder):
    """Which branches studies tried, where problems have some."""
    paths = branches.own_paths(rows) | branches.recorded_paths(recorded)
    found = branches.rows_of(compared, paths)
    results.write_csv(folder / "branches.csv", found)
    return branches.lines_of(found, tables.align)
