/* The search template of the bots in C, move for move, with minimal evaluations: a baseline for measuring it.
 *
 *     cc -O3 -march=native -DTRAPGRID search.c -o search && ./search 16 3
 *
 * prints nodes, score and the seconds of the best of 3 runs on this core. Also -DISOLATION, -DBAMBOO and -DQUORIDOR.
 * Each run searches the start to depths 1, 2 ... with an empty table, and has to count the same nodes as the template.
 */
#define main perft_main
#if defined TRAPGRID || defined ISOLATION
#include "rules.c"
typedef uint64_t u64;
#else
#include "rules_wide.c"
#endif
#undef main

typedef int64_t i64;

enum { INFINITE = 110000, MATE = 100000, SURE = 96000, DOUBT = 4000, ODD = 91000 };
enum { UPPER = 1, LOWER = 2, EXACT = 3, OFFSET = 131072, DEEPEST = 64, QUIESCENCE = 8, WIDEN = 3, LATE = 3 };
enum { FIRST_KILLER = 1 << 30, SORTED = 16, ENTRIES = 1 << 20, PLIES = 128, WIDTH = 136, MOVES = 256 };

static const u64 MASK = 0x7FFFFFFFFFFFFFFF;

static inline u64 mixed(u64 seed, u64 word)
{
    u64 x = (seed * 0x1D8E4E27C47D124F ^ word) & MASK;
    x = ((x ^ x >> 31) * 0x2545F4914F6CDD1D) & MASK;
    x = ((x ^ x >> 29) * 0x1B8735932D519E37) & MASK;
    return x ^ x >> 32;
}

/* Each game: position, moves in ascending order, position after a move, test for a loss, evaluation, hash key. */

#if defined TRAPGRID || defined ISOLATION

enum { HAS_DRAWS = 0 };
typedef struct { u64 free, mover, other; int turn; } position;

#ifdef TRAPGRID
static inline word targets(u64 free, u64 pawn) { return steps(free, pawn); }
static position start(void)
{
    u64 first = 1ull << 48, second = 1ull << 6;
    return (position){BOARD & ~(first | second), first, second, 0};
}
#else
static inline word targets(u64 free, u64 pawn) { return pawn ? slides(free, pawn) : free; }
static position start(void) { return (position){BOARD, 0, 0, 0}; }
#endif

static inline int gen(const position *p, i64 *moves)
{
    int count = 0;
    for (word rest = targets(p->free, p->mover); rest; rest &= rest - 1)
        moves[count++] = __builtin_ctzll(rest);
    return count;
}

static inline position advance(const position *p, i64 move)
{
    u64 target = 1ull << move;
    return (position){p->free ^ target, p->other, target, 1 - p->turn};
}

static inline int lost(const position *p) { return !targets(p->free, p->mover); }

static inline i64 evaluate(const position *p)
{
    return 100 * (__builtin_popcountll(targets(p->free, p->mover)) - __builtin_popcountll(targets(p->free, p->other)));
}

static inline u64 key(const position *p) { return mixed(mixed(mixed((u64)p->turn, p->free), p->mover), p->other); }

#elif defined BAMBOO

enum { HAS_DRAWS = 0, LIMB = 61 };
typedef struct { hexagon board; int turn; } position;

static position start(void)
{
    position p = {{{{0}}, {{0}}, {{0}}}, 0};
    for (int row = 0; row <= 2 * RADIUS; row++)
        for (int column = 0; column <= 2 * RADIUS; column++)
            if (abs(row - column) <= RADIUS)
                p.board.free.w[(STRIDE * row + column) / 64] |= (u64)1 << (STRIDE * row + column) % 64;
    return p;
}

static inline int gen(const position *p, i64 *moves)
{
    cells rest = placements(&p->board);
    int count = 0;
    for (int i = 0; i < 3; i++)
        for (u64 bits = rest.w[i]; bits; bits &= bits - 1)
            moves[count++] = 64 * i + __builtin_ctzll(bits);
    return count;
}

static inline position advance(const position *p, i64 move)
{
    cells stone = {{0}};
    stone.w[move / 64] = (u64)1 << move % 64;
    return (position){{p->board.other, either(p->board.own, stone), without(p->board.free, stone)}, 1 - p->turn};
}

static inline int lost(const position *p) { return !any(placements(&p->board)); }

static inline i64 evaluate(const position *p)
{
    hexagon turned = {p->board.other, p->board.own, p->board.free};
    return 100 * (size_of(placements(&p->board)) - size_of(placements(&turned)));
}

/* The same words of 61 bits as in engine/kernels/hexagon.py. */
static inline u64 with(u64 seed, cells s)
{
    u64 limb = ((u64)1 << LIMB) - 1;
    seed = mixed(seed, s.w[0] & limb);
    seed = mixed(seed, (s.w[0] >> LIMB | s.w[1] << 3) & limb);
    return mixed(seed, s.w[1] >> 58 | s.w[2] << 6);
}

static inline u64 key(const position *p) { return with(with((u64)p->turn, p->board.own), p->board.other); }

#else

enum { HAS_DRAWS = 1, SPLIT = 45 };
typedef maze position;

static position start(void)
{
    quoridor_tables();
    return (position){0, 0, {4, 76}, {WALLS, WALLS}, 0};
}

static inline int list(board bits, i64 offset, i64 *moves, int count)
{
    for (; bits; bits &= bits - 1)
        moves[count++] = offset + lowest(bits);
    return count;
}

static inline int gen(const position *p, i64 *moves)
{
    board across, upright;
    int count = list(targets(p), 0, moves, 0);
    wall_slots(p, &across, &upright);
    count = list(across, CELLS, moves, count);
    return list(upright, 2 * CELLS, moves, count);
}

static inline position advance(const position *p, i64 move)
{
    position next = *p;
    if (move < CELLS)
        next.pawn[p->turn] = (int)move;
    else {
        if (move < 2 * CELLS)
            next.h |= BIT(move - CELLS);
        else
            next.v |= BIT(move - 2 * CELLS);
        next.left[p->turn]--;
    }
    next.turn = 1 - p->turn;
    return next;
}

static inline int lost(const position *p) { return GOALS[0] & BIT(p->pawn[0]) || GOALS[1] & BIT(p->pawn[1]); }

static inline int away(doors d, int cell, board home)
{
    board seen = BIT(cell);
    int count = 0;
    for (; !(seen & home); count++)
        seen |= (seen & d.north) << 9 | (seen >> 9 & d.north) | (seen & d.east) << 1 | (seen >> 1 & d.east);
    return count;
}

static inline i64 evaluate(const position *p)
{
    doors d = open_doors(p->h, p->v);
    int own = p->turn, other = 1 - p->turn;
    return 100 * (away(d, p->pawn[other], GOALS[other]) - away(d, p->pawn[own], GOALS[own]));
}

static inline u64 key(const position *p)
{
    u64 low = ((u64)1 << SPLIT) - 1;
    u64 seed = mixed(mixed((u64)p->turn, (u64)p->h & low), (u64)(p->h >> SPLIT));
    seed = mixed(mixed(seed, (u64)p->v & low), (u64)(p->v >> SPLIT));
    u64 pawns = (u64)p->pawn[0] | (u64)p->pawn[1] << 8, left = (u64)p->left[0] | (u64)p->left[1] << 8;
    return mixed(seed, pawns << 16 | left);
}

#endif

static i64 (*table)[2];
static struct {
    volatile i64 stop;
    i64 selective, salt, age, noise, limit, over, nodes, pruned, hits, deepest;
    i64 killers[PLIES][2], history[2][MOVES], path[PLIES], length[PLIES];
    int16_t line[PLIES][PLIES];
    i64 order[PLIES][WIDTH], moves[PLIES][WIDTH];
} desk;

static inline i64 max(i64 a, i64 b) { return a > b ? a : b; }
static inline i64 min(i64 a, i64 b) { return a < b ? a : b; }
static inline void swap(i64 *a, i64 *b) { i64 was = *a; *a = *b; *b = was; }

static i64 search(const position *p, i64 depth, i64 alpha, i64 beta, i64 ply)
{
    if (desk.stop | desk.over || desk.nodes >= desk.limit) {
        desk.over = 1;
        return 0;
    }
    desk.nodes++;
    desk.length[ply] = ply;
    desk.deepest = max(desk.deepest, ply);
    if (ply >= PLIES - 1)
        depth = -QUIESCENCE;
    if ((HAS_DRAWS || depth <= 0) && lost(p))
        return ply - MATE;

    i64 here = 0, slot = 0, remembered = -1;
    if (depth > 0) {
        alpha = max(alpha, ply - MATE), beta = min(beta, MATE - ply - 1);
        if (alpha >= beta)
            return alpha;
        here = (i64)key(p) ^ desk.salt;
        if (HAS_DRAWS && desk.selective) {
            desk.path[ply] = here;
            for (i64 earlier = ply - 4; earlier >= 0; earlier -= 2)
                if (desk.path[earlier] == here)
                    return 0;
        }
        slot = here & (ENTRIES - 2);
        i64 data = table[slot][1];
        if ((table[slot][0] ^ data) != here) {
            data = table[slot + 1][1];
            if ((table[slot + 1][0] ^ data) != here)
                data = 0;
        }
        if (data) {
            desk.hits++;
            remembered = (data & 511) - 1;
            if (beta - alpha == 1) {
                i64 bound = data >> 17 & 3, reached = (data >> 9 & 255) - DEEPEST, score = (data >> 25) - OFFSET;
                if (reached == depth || (desk.selective && (reached > depth || labs(score) > SURE))) {
                    if (score > ODD)
                        score -= ply;
                    else if (score < -ODD)
                        score += ply;
                    if ((bound & LOWER && score >= beta) || (bound & UPPER && score <= alpha))
                        return score;
                }
            }
        }
    }

    /* Here every position is quiet, none is solved, and no move is left out. */
    if (depth <= 0)
        return evaluate(p);
    i64 *moves = desk.moves[ply], *order = desk.order[ply];
    i64 count = gen(p, moves), first = 0;
    if (!count)
        return ply - MATE;
    if (remembered >= 0) {
        i64 place = 0;
        while (place < count && moves[place] != remembered)
            place++;
        if (place < count) {
            moves[place] = moves[0];
            moves[0] = remembered;
            first = 1;
        }
    }

    int side = p->turn, is_exact = beta - alpha > 1, ordered = 0;
    i64 asked = alpha, best = -INFINITE, best_move = -1;
    for (i64 index = 0; index < count;) {
        if (index >= first) {
            if (!ordered) {
                for (i64 i = index; i < count; i++) {
                    i64 move = moves[i];
                    if (move == desk.killers[ply][0])
                        order[i] = FIRST_KILLER;
                    else if (move == desk.killers[ply][1])
                        order[i] = FIRST_KILLER - 1;
                    else {
                        order[i] = desk.history[side][move];
                        if (desk.noise)
                            order[i] += (move * desk.noise >> 3) & 1023;
                    }
                }
                ordered = 1;
            }
            if (index < SORTED) {
                i64 top = index;
                for (i64 i = index + 1; i < count; i++)
                    if (order[i] > order[top])
                        top = i;
                swap(&moves[index], &moves[top]);
                swap(&order[index], &order[top]);
            }
        }
        i64 move = moves[index];
        position child = advance(p, move);
        i64 less = 0, score = alpha + 1;
        if (desk.selective && depth >= 3 && index >= LATE && order[index] < FIRST_KILLER - 1)
            less = depth >= 5 && index >= 2 * LATE + 2 ? 2 : 1;
        if (index > 0) {
            score = -search(&child, depth - 1 - less, -alpha - 1, -alpha, ply + 1);
            if (less > 0 && score > alpha)
                score = -search(&child, depth - 1, -alpha - 1, -alpha, ply + 1);
        }
        if (index == 0 || (is_exact && alpha < score && score < beta))
            score = -search(&child, depth - 1, -beta, -alpha, ply + 1);
        if (desk.over)
            return 0;
        index++;
        if (score > best) {
            best = score, best_move = move;
            if (score > alpha) {
                alpha = score;
                if (is_exact) {
                    desk.line[ply][ply] = (int16_t)move;
                    for (i64 i = ply + 1; i < desk.length[ply + 1]; i++)
                        desk.line[ply][i] = desk.line[ply + 1][i];
                    desk.length[ply] = desk.length[ply + 1];
                }
                if (score >= beta) {
                    desk.pruned += count - index;
                    if (desk.killers[ply][0] != move) {
                        desk.killers[ply][1] = desk.killers[ply][0];
                        desk.killers[ply][0] = move;
                    }
                    i64 bonus = min(16 * depth * depth, 1024), *value = &desk.history[side][move];
                    *value += bonus - (*value * bonus >> 13);
                    break;
                }
            }
        }
    }

    i64 relative = best > ODD ? best + ply : best < -ODD ? best - ply : best;
    i64 bound = best >= beta ? LOWER : best > asked ? EXACT : UPPER;
    if (bound == UPPER)
        best_move = remembered;
    i64 data = (relative + OFFSET) << 25 | desk.age << 19 | bound << 17 | (depth + DEEPEST) << 9 | (best_move + 1);
    i64 target = slot, least = 1 << 30;
    for (i64 place = slot; place < slot + 2; place++) {
        i64 there = table[place][1];
        if ((table[place][0] ^ there) == here) {
            target = place;
            break;
        }
        i64 value = (there >> 9 & 255) + ((there >> 19 & 63) == desk.age ? 256 : 0);
        if (value < least)
            target = place, least = value;
    }
    table[target][0] = here ^ data;
    table[target][1] = data;
    return best;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: %s DEPTH REPEATS\n", arguments[0]);
        return 2;
    }
    position root = start();
    table = malloc(ENTRIES * sizeof *table);
    i64 score = 0;
    double best = 1e9;
    for (int repeat = 0; repeat < atoi(arguments[2]); repeat++) {
        memset(table, 0, ENTRIES * sizeof *table);
        memset(&desk, 0, sizeof desk);
        memset(desk.killers, 255, sizeof desk.killers);
        desk.selective = 1;
        desk.limit = INT64_MAX;
        double before = now();
        for (int depth = 1; depth <= atoi(arguments[1]); depth++)
            score = search(&root, depth, -INFINITE, INFINITE, 0);
        double seconds = now() - before;
        if (seconds < best)
            best = seconds;
    }
    printf("%lld %lld %.6f\n", (long long)desk.nodes, (long long)score, best);
    return 0;
}
