/* Perft of Quoridor (9x9, ten walls) and Bamboo (radius 5) in C: the same work as engine/kernels/walls.py and hexagon.py.
 *
 *     cc -O3 -march=native rules_wide.c -o rules_wide && ./rules_wide quoridor 3
 *
 * prints the number of leaves and the seconds. The last ply is counted, not played, here as there.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t u64;
typedef unsigned __int128 board;

static inline int lowest(board b) {
    return (u64)b ? __builtin_ctzll((u64)b) : 64 + __builtin_ctzll((u64)(b >> 64));
}

static inline int count(board b) {
    return __builtin_popcountll((u64)b) + __builtin_popcountll((u64)(b >> 64));
}

/* Quoridor: cell (row, column) is bit 9 * row + column; a wall's slot is the cell that names it. */

enum { SIZE = 9, CELLS = 81, WALLS = 10 };
#define BIT(cell) ((board)1 << (cell))

static board NORTH, EAST, SLOTS, LEFT, BOTTOM, LAST_COLUMN, LAST_ROW, GOALS[2];

typedef struct { board h, v; int pawn[2], left[2], turn; } maze;
typedef struct { board north, east; } doors;

static void quoridor_tables(void) {
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++) {
            board bit = BIT(9 * row + column);
            if (row < SIZE - 1) NORTH |= bit;
            if (column < SIZE - 1) EAST |= bit;
            if (row < SIZE - 1 && column < SIZE - 1) SLOTS |= bit;
            if (column == 0) LEFT |= bit;
            if (row == 0) BOTTOM |= bit;
            if (column == SIZE - 2) LAST_COLUMN |= bit;
            if (row == SIZE - 2) LAST_ROW |= bit;
            if (row == SIZE - 1) GOALS[0] |= bit;
        }
    GOALS[1] = BOTTOM;
}

static inline doors open_doors(board h, board v) {
    return (doors){NORTH & ~(h | h << 1), EAST & ~(v | v << 9)};
}

static inline int step(doors d, int cell, int direction) {
    switch (direction) {
    case 0: return d.north & BIT(cell) ? cell + 9 : -1;
    case 1: return d.east & BIT(cell) ? cell + 1 : -1;
    case 2: return cell >= 9 && d.north & BIT(cell - 9) ? cell - 9 : -1;
    default: return cell >= 1 && d.east & BIT(cell - 1) ? cell - 1 : -1;
    }
}

static board targets(const maze *m) {
    doors d = open_doors(m->h, m->v);
    int other = m->pawn[1 - m->turn];
    board found = 0;
    for (int direction = 0; direction < 4; direction++) {
        int near = step(d, m->pawn[m->turn], direction);
        if (near < 0) continue;
        if (near != other) { found |= BIT(near); continue; }
        int behind = step(d, near, direction);
        if (behind >= 0) { found |= BIT(behind); continue; }
        for (int turn = 1; turn < 4; turn += 2) {
            int beside = step(d, near, (direction + turn) & 3);
            if (beside >= 0) found |= BIT(beside);
        }
    }
    return found & ~BIT(m->pawn[m->turn]);
}

static int reaches(doors d, int cell, board goal) {
    board seen = BIT(cell);
    while (!(seen & goal)) {
        board wide = seen | (seen & d.east) << 1 | (seen >> 1 & d.east);
        board next = wide | (wide & d.north) << 9 | (wide >> 9 & d.north);
        if (next == seen) return 0;
        seen = next;
    }
    return 1;
}

/* The slots whose wall would cut one shortest path. */
static void cuts(doors d, int cell, board goal, board *h, board *v) {
    board seen = BIT(cell), edge = seen, northward = 0, southward = 0, eastward = 0;
    while (!(edge & goal)) {
        board n = (edge & d.north) << 9 & ~seen, wet = n;
        northward |= n;
        n = (edge >> 9 & d.north) & ~(seen | wet);
        southward |= n;
        wet |= n;
        n = (edge & d.east) << 1 & ~(seen | wet);
        eastward |= n;
        wet |= n | ((edge >> 1 & d.east) & ~seen);
        seen |= wet;
        edge = wet;
    }
    board crossed_north = 0, crossed_east = 0;
    for (int at = lowest(edge & goal); at != cell;) {
        if (northward & BIT(at)) { at -= 9; crossed_north |= BIT(at); }
        else if (southward & BIT(at)) { crossed_north |= BIT(at); at += 9; }
        else if (eastward & BIT(at)) { at -= 1; crossed_east |= BIT(at); }
        else { crossed_east |= BIT(at); at += 1; }
    }
    *h = crossed_north | crossed_north >> 1;
    *v = crossed_east | crossed_east >> 9;
}

static inline board two_of(board a, board b, board c) { return (a & b) | ((a | b) & c); }

static void wall_slots(const maze *m, board *across, board *upright) {
    board h = m->h, v = m->v;
    *across = *upright = 0;
    if (!m->left[m->turn]) return;
    board free_h = SLOTS & ~(h | h << 1 | h >> 1 | v), free_v = SLOTS & ~(v | v << 9 | v >> 9 | h);
    board tips = v << 9 | v >> 9, wide = tips | v;
    board suspects_h = free_h & two_of(tips, wide << 1 | h << 2 | LEFT, wide >> 1 | h >> 2 | LAST_COLUMN);
    tips = h << 1 | h >> 1, wide = tips | h;
    board suspects_v = free_v & two_of(tips, wide << 9 | v << 18 | BOTTOM, wide >> 9 | v >> 18 | LAST_ROW);
    if (suspects_h | suspects_v) {
        doors d = open_doors(h, v);
        for (int seat = 0; seat < 2; seat++) {
            board cut_h, cut_v;
            cuts(d, m->pawn[seat], GOALS[seat], &cut_h, &cut_v);
            for (board rest = suspects_h & cut_h & free_h; rest; rest &= rest - 1) {
                board bit = rest & -rest;
                if (!reaches((doors){d.north & ~(bit | bit << 1), d.east}, m->pawn[seat], GOALS[seat])) free_h ^= bit;
            }
            for (board rest = suspects_v & cut_v & free_v; rest; rest &= rest - 1) {
                board bit = rest & -rest;
                if (!reaches((doors){d.north, d.east & ~(bit | bit << 9)}, m->pawn[seat], GOALS[seat])) free_v ^= bit;
            }
        }
    }
    *across = free_h;
    *upright = free_v;
}

static u64 quoridor(const maze *m, int depth) {
    if (depth == 0) return 1;
    if (GOALS[0] & BIT(m->pawn[0]) || GOALS[1] & BIT(m->pawn[1])) return 0;
    board across, upright, steps = targets(m);
    wall_slots(m, &across, &upright);
    if (depth == 1) return count(steps) + count(across) + count(upright);
    u64 leaves = 0;
    for (; steps; steps &= steps - 1) {
        maze next = *m;
        next.pawn[m->turn] = lowest(steps);
        next.turn = 1 - m->turn;
        leaves += quoridor(&next, depth - 1);
    }
    for (int kind = 0; kind < 2; kind++)
        for (board rest = kind ? upright : across; rest; rest &= rest - 1) {
            maze next = *m;
            *(kind ? &next.v : &next.h) |= rest & -rest;
            next.left[m->turn]--;
            next.turn = 1 - m->turn;
            leaves += quoridor(&next, depth - 1);
        }
    return leaves;
}

/* Bamboo: cell (row, column) is bit 14 * row + column of three words; the neighbours are 1, 14 and 15 bits away. */

enum { RADIUS = 5, STRIDE = 14, PLANES = 6 };

typedef struct { u64 w[3]; } cells;
typedef struct { cells own, other, free; } hexagon;

static inline cells up(cells s, int by) {
    return (cells){{s.w[0] << by, s.w[1] << by | s.w[0] >> (64 - by), s.w[2] << by | s.w[1] >> (64 - by)}};
}

static inline cells down(cells s, int by) {
    return (cells){{s.w[0] >> by | s.w[1] << (64 - by), s.w[1] >> by | s.w[2] << (64 - by), s.w[2] >> by}};
}

static inline cells either(cells s, cells t) { return (cells){{s.w[0] | t.w[0], s.w[1] | t.w[1], s.w[2] | t.w[2]}}; }
static inline cells both(cells s, cells t) { return (cells){{s.w[0] & t.w[0], s.w[1] & t.w[1], s.w[2] & t.w[2]}}; }
static inline cells without(cells s, cells t) { return (cells){{s.w[0] & ~t.w[0], s.w[1] & ~t.w[1], s.w[2] & ~t.w[2]}}; }
static inline int any(cells s) { return (s.w[0] | s.w[1] | s.w[2]) != 0; }

static inline int size_of(cells s) {
    return __builtin_popcountll(s.w[0]) + __builtin_popcountll(s.w[1]) + __builtin_popcountll(s.w[2]);
}

static inline cells first(cells s) {
    cells found = {{0, 0, 0}};
    int i = s.w[0] ? 0 : s.w[1] ? 1 : 2;
    found.w[i] = s.w[i] & -s.w[i];
    return found;
}

static inline cells around(cells s) {
    cells right = up(s, 1), left = down(s, 1);
    return either(either(right, left), either(up(either(s, right), STRIDE), down(either(s, left), STRIDE)));
}

static cells placements(const hexagon *p) {
    cells planes[PLANES], once = {{0}}, twice = {{0}}, thrice = {{0}};
    memset(planes, 0, sizeof planes);
    int groups = 0, largest = 0;
    for (cells rest = p->own; any(rest);) {
        cells group = first(rest), near;
        for (;;) {
            near = around(group);
            cells next = either(group, both(near, p->own));
            if (!memcmp(&next, &group, sizeof group)) break;
            group = next;
        }
        rest = without(rest, group);
        near = both(near, p->free);
        int size = size_of(group);
        groups++;
        if (size > largest) largest = size;
        for (int i = 0; i < 3; i++) {
            u64 carry = 0;
            for (int plane = 0; plane < PLANES; plane++) {
                u64 term = near.w[i] & -(u64)((size + 1) >> plane & 1), now = planes[plane].w[i];
                planes[plane].w[i] = now ^ term ^ carry;
                carry = (now & term) | ((now | term) & carry);
            }
        }
        thrice = either(thrice, both(twice, near));
        twice = either(twice, both(once, near));
        once = either(once, near);
    }
    cells allowed = p->free;
    for (int i = 0; i < 3; i++) {
        u64 less = 0, equal = ~(u64)0;
        for (int plane = PLANES - 1; plane >= 0; plane--) {
            u64 wanted = -(u64)(groups >> plane & 1);
            less |= equal & ~planes[plane].w[i] & wanted;
            equal &= ~(planes[plane].w[i] ^ wanted);
        }
        allowed.w[i] &= less | equal;
    }
    if (largest == groups) allowed = without(allowed, twice);
    else if (largest == groups - 1) allowed = without(allowed, thrice);
    return allowed;
}

static u64 bamboo(const hexagon *p, int depth) {
    if (depth == 0) return 1;
    cells rest = placements(p);
    if (depth == 1) return size_of(rest);
    u64 leaves = 0;
    while (any(rest)) {
        cells stone = first(rest);
        rest = without(rest, stone);
        hexagon next = {p->other, either(p->own, stone), without(p->free, stone)};
        leaves += bamboo(&next, depth - 1);
    }
    return leaves;
}

int main(int argc, char **argv) {
    if (argc != 3 || (strcmp(argv[1], "quoridor") && strcmp(argv[1], "bamboo"))) {
        fprintf(stderr, "usage: %s quoridor|bamboo DEPTH\n", argv[0]);
        return 2;
    }
    int depth = atoi(argv[2]);
    struct timespec start, end;
    quoridor_tables();
    hexagon empty = {{{0}}, {{0}}, {{0}}};
    for (int row = 0; row <= 2 * RADIUS; row++)
        for (int column = 0; column <= 2 * RADIUS; column++)
            if (abs(row - column) <= RADIUS)
                empty.free.w[(STRIDE * row + column) / 64] |= (u64)1 << (STRIDE * row + column) % 64;
    maze opening = {0, 0, {4, 76}, {WALLS, WALLS}, 0};
    clock_gettime(CLOCK_MONOTONIC, &start);
    u64 leaves = strcmp(argv[1], "bamboo") ? quoridor(&opening, depth) : bamboo(&empty, depth);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9;
    printf("%llu %.6f\n", (unsigned long long)leaves, seconds);
    return 0;
}
