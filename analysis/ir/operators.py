"""The closed vocabularies that instructions use; each value is the spelling in the printed form."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Final

from analysis.ir.enumeration import Enumeration


class UnaryOperator(Enum):
    NEGATE = "neg"
    COMPLEMENT = "not"
    LOGICAL_NOT = "lnot"


class BinaryOperator(Enumeration):
    """C's arithmetic; signedness and precision come from the type.  LOGICAL_* take booleans and do not branch."""

    ADD = "add"
    SUBTRACT = "sub"
    MULTIPLY = "mul"
    DIVIDE = "div"
    REMAINDER = "rem"
    AND = "and"
    OR = "or"
    XOR = "xor"
    SHIFT_LEFT = "shl"
    SHIFT_RIGHT = "shr"
    LOGICAL_AND = "land"
    LOGICAL_OR = "lor"


class CompareOperator(Enumeration):
    EQUAL = "eq"
    NOT_EQUAL = "ne"
    LESS = "lt"
    LESS_EQUAL = "le"
    GREATER = "gt"
    GREATER_EQUAL = "ge"


NEGATED: Final = {
    CompareOperator.EQUAL: CompareOperator.NOT_EQUAL,
    CompareOperator.NOT_EQUAL: CompareOperator.EQUAL,
    CompareOperator.LESS: CompareOperator.GREATER_EQUAL,
    CompareOperator.LESS_EQUAL: CompareOperator.GREATER,
    CompareOperator.GREATER: CompareOperator.LESS_EQUAL,
    CompareOperator.GREATER_EQUAL: CompareOperator.LESS,
}
"""What holds where the comparison does not, of numbers that are comparable."""
MIRRORED: Final = {
    CompareOperator.EQUAL: CompareOperator.EQUAL,
    CompareOperator.NOT_EQUAL: CompareOperator.NOT_EQUAL,
    CompareOperator.LESS: CompareOperator.GREATER,
    CompareOperator.LESS_EQUAL: CompareOperator.GREATER_EQUAL,
    CompareOperator.GREATER: CompareOperator.LESS,
    CompareOperator.GREATER_EQUAL: CompareOperator.LESS_EQUAL,
}
"""The same comparison with its sides exchanged."""
ORDERINGS: Final = frozenset(CompareOperator) - {CompareOperator.EQUAL, CompareOperator.NOT_EQUAL}
"""Those that ask which side is the smaller one."""


class SpecialRegister(Enumeration):
    """What a thread can ask about itself and its launch."""

    THREAD_X = "thread.x"
    THREAD_Y = "thread.y"
    THREAD_Z = "thread.z"
    BLOCK_X = "block.x"
    BLOCK_Y = "block.y"
    BLOCK_Z = "block.z"
    BLOCK_DIM_X = "block_dim.x"
    BLOCK_DIM_Y = "block_dim.y"
    BLOCK_DIM_Z = "block_dim.z"
    GRID_DIM_X = "grid_dim.x"
    GRID_DIM_Y = "grid_dim.y"
    GRID_DIM_Z = "grid_dim.z"
    WARP_SIZE = "warp_size"
    LANE = "lane"
    WARP_INDEX = "warp_index"
    """PTX `%warpid`: where the hardware put the warp; volatile, but one value per warp."""
    LANE_MASK_EQUAL = "lane_mask.eq"
    LANE_MASK_LESS = "lane_mask.lt"
    LANE_MASK_LESS_EQUAL = "lane_mask.le"
    LANE_MASK_GREATER = "lane_mask.gt"
    LANE_MASK_GREATER_EQUAL = "lane_mask.ge"
    ACTIVE_MASK = "active_mask"
    CLOCK = "clock"
    GLOBAL_TIMER = "global_timer"
    MULTIPROCESSOR = "multiprocessor"
    CLUSTER_RANK = "cluster_rank"
    DYNAMIC_SHARED_SIZE = "dynamic_shared_size"
    GRID_ID = "grid_id"


class AtomicOperator(Enum):
    """Read-modify-write operators; also the operators of warp reductions."""

    ADD = "add"
    SUBTRACT = "sub"
    MINIMUM = "min"
    MAXIMUM = "max"
    AND = "and"
    OR = "or"
    XOR = "xor"
    EXCHANGE = "exch"
    COMPARE_AND_SWAP = "cas"
    INCREMENT = "inc"
    DECREMENT = "dec"
    LOAD = "load"
    STORE = "store"


class BarrierOperator(Enum):
    """Updates of a memory barrier (`barrier_word.py`); each takes a count, of threads or of bytes."""

    ARRIVE = "arrive"
    DROP = "arrive_drop"
    EXPECT = "expect_tx"
    COMPLETE = "complete_tx"


class PhaseQuestion(Enum):
    """How a thread asks whether a phase of a memory barrier is complete."""

    WAIT = "wait"
    """Waits until it is."""
    TRY = "try"
    """Waits for a while, which ends at the latest when nobody else can do anything."""
    TEST = "test"
    """Does not wait."""


class BarrierReduction(Enum):
    NONE = "none"
    COUNT = "count"
    AND = "and"
    OR = "or"


class MemoryScope(Enum):
    """Whose threads a fence orders, and for whose threads an atomic is one (PTX ISA, "Scope")."""

    BLOCK = "block"
    DEVICE = "device"
    SYSTEM = "system"
    WARP = "warp"


class ShuffleMode(Enum):
    INDEX = "idx"
    UP = "up"
    DOWN = "down"
    XOR = "xor"


class VoteKind(Enum):
    ANY = "any"
    ALL = "all"
    BALLOT = "ballot"
    UNIFORM = "uni"


class MatchKind(Enum):
    ANY = "any"
    ALL = "all"


class TextureOperation(Enum):
    FETCH = "fetch"
    FETCH_1D = "fetch1d"
    FETCH_2D = "fetch2d"
    FETCH_3D = "fetch3d"
    FETCH_LAYERED = "layered"
    FETCH_CUBE = "cube"
    GATHER = "gather"
    SURFACE_READ = "surface_read"
    SURFACE_WRITE = "surface_write"


class MathFunction(Enum):
    """Pure functions of their arguments; one name for all precisions (`sin`, `sinf`, `__sinf`, `hsin`)."""

    # two and three operands
    MINIMUM = "min"
    MAXIMUM = "max"
    POWER = "pow"
    ATAN2 = "atan2"
    FMOD = "fmod"
    IEEE_REMAINDER = "remainder"
    COPYSIGN = "copysign"
    HYPOT = "hypot"
    NORM3 = "norm3d"
    NORM4 = "norm4d"
    RECIPROCAL_HYPOT = "rhypot"
    RECIPROCAL_NORM3 = "rnorm3d"
    RECIPROCAL_NORM4 = "rnorm4d"
    DIM = "fdim"
    FUSED_MULTIPLY_ADD = "fma"
    LDEXP = "ldexp"
    NEXT_AFTER = "nextafter"
    FAST_DIVIDE = "fdividef"
    SATURATE = "saturate"
    CLAMP = "clamp"
    # roots, exponentials, logarithms
    SQRT = "sqrt"
    RSQRT = "rsqrt"
    CBRT = "cbrt"
    RCBRT = "rcbrt"
    RECIPROCAL = "rcp"
    EXP = "exp"
    EXP2 = "exp2"
    EXP10 = "exp10"
    EXPM1 = "expm1"
    LOG = "log"
    LOG2 = "log2"
    LOG10 = "log10"
    LOG1P = "log1p"
    LOGB = "logb"
    ILOGB = "ilogb"
    # trigonometry
    SIN = "sin"
    COS = "cos"
    TAN = "tan"
    SINPI = "sinpi"
    COSPI = "cospi"
    ASIN = "asin"
    ACOS = "acos"
    ATAN = "atan"
    SINH = "sinh"
    COSH = "cosh"
    TANH = "tanh"
    ASINH = "asinh"
    ACOSH = "acosh"
    ATANH = "atanh"
    # special functions
    ERF = "erf"
    ERFC = "erfc"
    ERFINV = "erfinv"
    ERFCINV = "erfcinv"
    ERFCX = "erfcx"
    NORMCDF = "normcdf"
    NORMCDFINV = "normcdfinv"
    LGAMMA = "lgamma"
    TGAMMA = "tgamma"
    BESSEL_J0 = "j0"
    BESSEL_J1 = "j1"
    BESSEL_JN = "jn"
    BESSEL_Y0 = "y0"
    BESSEL_Y1 = "y1"
    BESSEL_YN = "yn"
    CYL_BESSEL_I0 = "cyl_bessel_i0"
    CYL_BESSEL_I1 = "cyl_bessel_i1"
    # rounding and classification
    ABSOLUTE = "abs"
    FLOOR = "floor"
    CEIL = "ceil"
    TRUNC = "trunc"
    ROUND = "round"
    RINT = "rint"
    IS_NAN = "isnan"
    IS_INFINITE = "isinf"
    IS_FINITE = "isfinite"
    SIGN_BIT = "signbit"
    NAN = "nan"
    CONVERT_ROUND = "cvt.rn"
    CONVERT_FLOOR = "cvt.rd"
    CONVERT_CEIL = "cvt.ru"
    CONVERT_TRUNC = "cvt.rz"
    # arithmetic with a rounding mode: the last operand is a `Rounding`
    DIRECTED_ADD = "add.directed"
    DIRECTED_MULTIPLY = "mul.directed"
    DIRECTED_DIVIDE = "div.directed"
    DIRECTED_SQRT = "sqrt.directed"
    DIRECTED_FUSED_MULTIPLY_ADD = "fma.directed"
    # bits
    POPULATION_COUNT = "popc"
    COUNT_LEADING_ZEROS = "clz"
    FIND_FIRST_SET = "ffs"
    REVERSE_BITS = "brev"
    BYTE_PERMUTE = "byte_perm"
    FUNNEL_SHIFT_LEFT = "funnel_l"
    FUNNEL_SHIFT_RIGHT = "funnel_r"
    FUNNEL_SHIFT_LEFT_CLAMP = "funnel_lc"
    FUNNEL_SHIFT_RIGHT_CLAMP = "funnel_rc"
    FIND_NTH_SET = "fns"
    MULTIPLY_HIGH = "mulhi"
    MULTIPLY_24 = "mul24"
    SUM_ABSOLUTE_DIFFERENCE = "sad"
    HALVING_ADD = "hadd"
    ROUNDED_HALVING_ADD = "rhadd"
    DOT_PRODUCT_4 = "dp4a"
    DOT_PRODUCT_2_LOW = "dp2a_lo"
    DOT_PRODUCT_2_HIGH = "dp2a_hi"
    BIT_FIELD_EXTRACT = "bfe"
    BIT_FIELD_INSERT = "bfi"
    LOOKUP_3 = "lop3"
    SIMD_IN_WORD = "simd"
    """Several small integers in one word; the last operand is the position in `SIMD_OPERATIONS`."""
    EXTRACT_BITS = "pext"
    """The bits of the first operand at the set bits of the second, packed from bit 0 up."""
    # values that a library makes
    COLLECTIVE = "collective"
    """What a library routine (block scan, matrix fragment product) computes from the values of several threads; the
    last operand is the thread's rank, so the result is never uniform."""
    MATRIX_PRODUCT = "matrix.product"
    """A lane's share of `a * b + c`, where each lane of the warp holds a share of each matrix; from (a, b, c, m, n, k,
    layout, lane).  `layout` is a member of `ShareLayout`."""
    MATRIX_ROWS = "matrix.rows"
    """PTX `ldmatrix`: from (row of 16 bytes, number of the matrix, whether to transpose, lane)."""
    RANDOM_SEED = "random.seed"
    """A generator's state from (seed, sequence, offset)."""
    RANDOM_ADVANCE = "random.advance"
    """The state after one draw, or after `operand 1` draws."""
    RANDOM_BITS = "random.bits"
    RANDOM_UNIFORM = "random.uniform"
    """In (0, 1], from a state."""
    RANDOM_NORMAL = "random.normal"
    RANDOM_LOG_NORMAL = "random.log_normal"
    """From (state, mean, deviation)."""
    RANDOM_POISSON = "random.poisson"
    """From (state, lambda)."""
    RANDOM_DISCRETE = "random.discrete"
    """From (state, distribution)."""
    # predicates on addresses
    IS_GLOBAL = "isglobal"
    IS_SHARED = "isshared"
    IS_CONSTANT = "isconstant"
    IS_LOCAL = "islocal"
    IS_CONSTANT_EVALUATED = "is_constant_evaluated"


class Rounding(IntEnum):
    """Where a result that is not exact goes, other than to the nearest number."""

    ZERO = 0
    UP = 1
    DOWN = 2


COLLECTIVES: Final = frozenset((MathFunction.COLLECTIVE, MathFunction.MATRIX_PRODUCT, MathFunction.MATRIX_ROWS))
"""Functions that read what other threads hold for the same operands."""


class ShareLayout(IntEnum):
    """How the lanes of a warp hold the matrices of a product."""

    ROW_ROW = 0
    """Lane `l` holds elements `l * n` to `l * n + n - 1` in row-major order; the names say it for a and b."""
    COLUMN_ROW = 1
    ROW_COLUMN = 2
    COLUMN_COLUMN = 3
    REGISTERS_OF_1 = 4
    """As PTX `mma.sync` defines it; a register of a or b holds one element (tf32, doubles)."""
    REGISTERS_OF_2 = 5
    REGISTERS_OF_4 = 6


SIMD_OPERATIONS: Final = tuple(
    f"{name}{lanes}"
    for lanes in (2, 4)
    for name in (
        *("add", "addss", "addus", "sub", "subss", "subus", "absdiffs", "absdiffu", "avgs", "avgu", "hadds", "haddu"),
        *("maxs", "maxu", "mins", "minu", "sads", "sadu", "abs", "absss", "neg", "negss"),
        *(f"{result}{order}" for result in ("cmp", "set") for order in ("eq", "ne")),
        *(f"{result}{order}{sign}" for result in ("cmp", "set") for order in ("ge", "gt", "le", "lt") for sign in "su"),
    )
) + tuple(
    f"{operation}2{kind}"
    for operation in ("max3", "min3", "addmax", "addmin", "max", "min")
    for kind in ("s", "u", "s_relu")
)
"""What CUDA's SIMD intrinsics compute, by their names without `__v`: `add2`, `absdiffu4`; `max32s_relu` is
`__vimax3_s16x2_relu`."""
