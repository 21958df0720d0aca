/* Where ids go: an array that grows. */
#ifndef CS336_BPE_OUTPUT_H
#define CS336_BPE_OUTPUT_H

#include "table_memory.h"

/* Functions that need memory return false if there is none. `end` gives it back. */
struct Output {
    void *ids = NULL;           /* of 2 or of 4 bytes each; owned */
    size_t used = 0, room = 0;  /* numbers of ids */
    int width = 4;              /* 2 or 4; or 0 to count them only */

    bool room_for(size_t number) noexcept {
        if (!width || room - used >= number) return true;
        size_t larger = room + room / 2;
        if (larger < used + number) larger = used + number;
        if (larger > SIZE_MAX / 4) return false;
        void *moved = uncleared_new(larger, (size_t)width);  /* huge pages save more than realloc */
        if (!moved) return false;
        if (ids) {
            memcpy(moved, ids, used * (size_t)width);
            table_free(ids, room, (size_t)width);
        }
        ids = moved;
        room = larger;
        return true;
    }

    /* Room for as many ids as there can be, or else for as many as are likely. Where memory is mapped,
     * pages that nothing is written to are not there yet, and room that is too much costs nothing. */
    bool room_for_at_most(size_t most, size_t likely) noexcept {
        return (is_mapped(most, (size_t)width) && room_for(most)) || room_for(likely);
    }

    /* Append ids, for which there is room. */
    void append(const uint32_t *others, size_t number) noexcept {
        if (width == 4) memcpy((uint32_t *)ids + used, others, 4 * number);
        if (width == 2)
            for (size_t i = 0; i < number; i++)
                ((uint16_t *)ids)[used + i] = (uint16_t)others[i];
        used += number;
    }

    /* Append ids of the same width, for which there is room. */
    void extend(const Output &others) noexcept {
        if (others.used && width)
            memcpy((uint8_t *)ids + used * (size_t)width, others.ids, others.used * (size_t)width);
        used += others.used;
    }

    /* Give back what is not used, as far as that is cheap. */
    void shrink() noexcept {
        if (ids) room = table_shrink(ids, room, used, (size_t)width);
    }

    /* Forget the ids, and keep the room for others if it isn't large. */
    void forget(size_t most_kept) noexcept {
        used = 0;
        if (room > most_kept) end();
    }

    void end() noexcept {
        if (ids) table_free(ids, room, (size_t)width);
        ids = NULL;
        room = 0;
    }
};

enum { ENCODE_DONE, ENCODE_NO_MEMORY, ENCODE_TOO_LONG, ENCODE_INVALID, ENCODE_UNMATCHED,
       ENCODE_SURROGATE };

#endif
