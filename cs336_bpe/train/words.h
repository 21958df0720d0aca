/* All words in one array of cells: one cell per byte, and an empty cell between words and at both
 * ends.
 *
 *     . n e w e s t . w i d e s t .
 *
 * A stage says what a cell is: a struct with at least `int32_t token`, -1 where it is empty, and
 * `uint32_t count`. The count says how often the cell's word occurs. The few counts that need more
 * than 31 bits are in an array beside, and the cell has their place in it.
 */
#ifndef CS336_BPE_WORDS_H
#define CS336_BPE_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <vector>
#include "huge_vectors.h"

/* Where words.pyx puts the words that it reads, whatever the cells are. */
struct WordSink {
    virtual ~WordSink() {}
    virtual void make_room(size_t num_cells) = 0; /* throws std::bad_alloc */
    virtual bool add(const uint8_t *text, size_t size, int64_t count) = 0; /* false: no room left */
};

template <class Cell> struct FlatWords : WordSink {
    static const uint32_t LARGE = 1u << 31;
    std::vector<Cell> cells; /* does not move once the words are there */
    std::vector<int64_t> large;

    Cell &operator[](size_t position) { return cells[position]; }

    size_t size() const { return cells.size(); }

    int64_t count_at(size_t position) const {
        uint32_t count = cells[position].count;
        return count < LARGE ? count : large[count - LARGE];
    }

    void make_room(size_t num_cells) override {
        reserve_huge(cells, num_cells + 1);
        cells.push_back(empty_cell());
    }

    bool add(const uint8_t *text, size_t size, int64_t count) override {
        if (cells.size() + size >= cells.capacity()) return false;
        Cell cell = Cell();
        cell.count = (uint32_t)count;
        if (count >= LARGE) {
            cell.count = LARGE + (uint32_t)large.size();
            large.push_back(count);
        }
        for (size_t i = 0; i < size; i++) {
            cell.token = text[i];
            cells.push_back(cell);
        }
        cells.push_back(empty_cell());
        return true;
    }

    /* Free the memory, now and not when the last reference goes. */
    void forget() {
        std::vector<Cell>().swap(cells);
    }

private:
    static Cell empty_cell() {
        Cell cell = Cell();
        cell.token = -1;
        return cell;
    }
};

#endif
