/* Block by block through a text. Included once for each kind of machine.
 *
 * What starts in a block depends on the blocks beside it: on how the one before ends, and how the
 * next begins. So the scanner classifies one block more than it gives out. */

typedef uint64_t MasksToStarts(Scan *scan, const Block &before, const Block &here,
                               const Block &next);

/* `kind` of classes, and does the pattern tell newlines from other white space? */
template <MasksToStarts masks_to_starts, int kind, bool newlines = true>
SCAN_FUNCTION size_t scan_with(Scan *scan, size_t *starts, size_t room) {
    size_t found = 0;
    Block before = scan->before, here = scan->here, next;
    if (!scan->begun && scan->at < scan->end) {
        if (!classify_block<kind, newlines>(scan, scan->at, before, &here)) return 0;
        scan->begun = 1;
    }
    while (scan->at < scan->end && found + SCAN_ROOM <= room) {
        next = Block();
        if (scan->end - scan->at > 64
            && !classify_block<kind, newlines>(scan, scan->at + 64, here, &next))
            return found;
        uint64_t begins = masks_to_starts(scan, before, here, next);
        found += write_starts(begins, scan->at, starts + found);
        scan->at += 64;
        before = here;
        here = next;
    }
    scan->before = before;
    scan->here = here;
    return found;
}

#define SCAN_ENTRY static SCAN_TARGET size_t

SCAN_ENTRY scan_gpt2(Scan *scan, size_t *starts, size_t room) {
    return scan_with<gpt2, PLAIN, false>(scan, starts, room);
}
SCAN_ENTRY scan_cl100k(Scan *scan, size_t *starts, size_t room) {
    return scan_with<cl100k<3, true>, PLAIN>(scan, starts, room);
}
SCAN_ENTRY scan_cl100k_2023(Scan *scan, size_t *starts, size_t room) {
    return scan_with<cl100k<3, false>, PLAIN>(scan, starts, room);
}
SCAN_ENTRY scan_qwen2(Scan *scan, size_t *starts, size_t room) {
    return scan_with<cl100k<1, false>, PLAIN>(scan, starts, room);
}
SCAN_ENTRY scan_nanochat(Scan *scan, size_t *starts, size_t room) {
    return scan_with<cl100k<2, false>, PLAIN>(scan, starts, room);
}
SCAN_ENTRY scan_o200k(Scan *scan, size_t *starts, size_t room) {
    return scan_with<o200k, CASED>(scan, starts, room);
}
