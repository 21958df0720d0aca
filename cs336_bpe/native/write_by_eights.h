/* The numbers of the bits of a mask, without a register that packs them. Included once for each
 * kind of machine.
 *
 * Eight at a time, so that the processor seldom has to guess whether there are more. Up to seven
 * too many are written, and written over by the next. SCAN_CTZ(0) is some number. */
SCAN_FUNCTION size_t write_starts(uint64_t begins, size_t at, size_t *starts) {
    size_t number = (size_t)SCAN_POPCOUNT(begins);
    for (size_t i = 0; i < number; i += 8)
        for (size_t j = 0; j < 8; j++) {
            starts[i + j] = at + (size_t)SCAN_CTZ(begins);
            begins &= begins - 1;
        }
    return number;
}
