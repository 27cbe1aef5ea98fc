"""What statements and expressions lower to: the promoted text beside the source."""

from __future__ import annotations

from tests.lower.check import branches, check


def test_a_bounds_check_and_a_compound_assignment() -> None:
    lowered = check(
        """
        __global__ void k(float* a, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) a[i] *= 2;
        }
        """,
        """
        block0:
          %2: u32 = special block.x
          %3: u32 = special block_dim.x
          %4: u32 = mul %2, %3
          %5: u32 = special thread.x
          %6: u32 = add %4, %5
          %7: s32 = convert %6
          %8: bool = lt %7, %1
          branch %8, block1, block2 !0 if
        block1:
          %9: s32 = const 2
          %10: ptr<global f32> = element %0, %7
          %11: f32 = load %10
          %12: f32 = convert %9
          %13: f32 = mul %11, %12
          store %10, %13
          jump block2
        block2:
          return
        """,
    )
    assert branches(lowered) == ["if:if"]


def test_the_parts_of_one_condition_are_one_branch() -> None:
    lowered = check(
        "__global__ void k(int* a, int n) { if (n > 0 && a[n] > 0 || n == 3) a[0] = 1; }",
        """
        block0:
          %2: s32 = const 0
          %3: bool = gt %1, %2
          branch %3, block4, block3 !0 if
        block1:
          %4: s32 = const 1
          %5: s32 = const 0
          %6: ptr<global s32> = element %0, %5
          store %6, %4
          jump block2
        block2:
          return
        block3:
          %7: s32 = const 3
          %8: bool = eq %1, %7
          branch %8, block1, block2 !0 if
        block4:
          %9: ptr<global s32> = element %0, %1
          %10: s32 = load %9
          %11: s32 = const 0
          %12: bool = gt %10, %11
          branch %12, block1, block3 !0 if
        """,
    )
    assert branches(lowered) == ["if:if"]


def test_quiet_operands_select_and_loud_ones_jump() -> None:
    lowered = check(
        """
        __global__ void k(int* a, int n) {
          bool b = n > 0 && n < 9;
          a[0] = b ? n : 3;
          a[1] = n ? a[2] : 0;
        }
        """,
        """
        block0:
          %2: s32 = const 0
          %3: bool = gt %1, %2
          %4: s32 = const 9
          %5: bool = lt %1, %4
          %6: bool = const false
          %7: bool = select %3, %5, %6 !0 short-circuit
          %8: s32 = const 3
          %9: s32 = select %7, %1, %8 !1 conditional
          %10: s32 = const 0
          %11: ptr<global s32> = element %0, %10
          store %11, %9
          %12: s32 = const 0
          %13: bool = ne %1, %12
          branch %13, block1, block2 !2 conditional
        block1:
          %14: s32 = const 2
          %15: ptr<global s32> = element %0, %14
          %16: s32 = load %15
          jump block3
        block2:
          %17: s32 = const 0
          jump block3
        block3:
          %18: s32 = phi block1: %16, block2: %17
          %19: s32 = const 1
          %20: ptr<global s32> = element %0, %19
          store %20, %18
          return
        """,
    )
    assert branches(lowered) == ["short-circuit:&&", "conditional:?", "conditional:?"]


def test_quiet_conditions_are_logical_operations() -> None:
    check(
        "__global__ void k(int* a, int n, int m) { if (!(n > 0 && m > 0)) a[0] = n; }",
        """
        block0:
          %3: s32 = const 0
          %4: bool = gt %1, %3
          %5: s32 = const 0
          %6: bool = gt %2, %5
          %7: bool = land %4, %6
          branch %7, block2, block1 !0 if
        block1:
          %8: s32 = const 0
          %9: ptr<global s32> = element %0, %8
          store %9, %1
          jump block2
        block2:
          return
        """,
    )


def test_a_switch_falls_through() -> None:
    lowered = check(
        """
        __global__ void k(int* a, int n) {
          switch (n) { case 1: a[0] = 1; case 2: a[1] = 2; break; default: a[2] = 3; }
        }
        """,
        """
        block0:
          switch %1, 1: block2, 2: block3, default: block4 !0 switch
        block1:
          return
        block2:
          %2: s32 = const 1
          %3: s32 = const 0
          %4: ptr<global s32> = element %0, %3
          store %4, %2
          jump block3
        block3:
          %5: s32 = const 2
          %6: s32 = const 1
          %7: ptr<global s32> = element %0, %6
          store %7, %5
          jump block1
        block4:
          %8: s32 = const 3
          %9: s32 = const 2
          %10: ptr<global s32> = element %0, %9
          store %10, %8
          jump block1
        """,
    )
    assert branches(lowered) == ["switch:switch"]


def test_c_conversions_and_pointer_arithmetic() -> None:
    check(
        """
        __global__ void k(unsigned* a, unsigned n, char c) {
          a[0] = n - 1 + c;
          long l = n;
          float* f = (float*)a;
          f[n] = c / 2.0f;
          int d = &a[3] - a;
          a[d] = *(a - n) + (l << 2);
        }
        """,
        """
        block0:
          %3: s32 = const 1
          %4: u32 = convert %3
          %5: u32 = sub %1, %4
          %6: u32 = convert %2
          %7: u32 = add %5, %6
          %8: s32 = const 0
          %9: ptr<global u32> = element %0, %8
          store %9, %7
          %10: s64 = convert %1
          %11: ptr<global f32> = bitcast %0
          %12: f32 = const 2.0
          %13: f32 = convert %2
          %14: f32 = div %13, %12
          %15: ptr<global f32> = element %11, %1
          store %15, %14
          %16: s32 = const 3
          %17: ptr<global u32> = element %0, %16
          %18: s64 = difference %17, %0
          %19: s32 = convert %18
          %20: s64 = convert %1
          %21: s64 = neg %20
          %22: ptr<global u32> = element %0, %21
          %23: u32 = load %22
          %24: s32 = const 2
          %25: s64 = shl %10, %24
          %26: s64 = convert %23
          %27: s64 = add %26, %25
          %28: ptr<global u32> = element %0, %19
          %29: u32 = convert %27
          store %28, %29
          return
        """,
    )


def test_reference_parameters_are_addresses() -> None:
    check(
        "__device__ void exchange(int& x, int& y) { int t = x; x = y; y = t; }",
        """
        block0:
          %2: s32 = load %0
          %3: s32 = load %1
          store %0, %3
          store %1, %2
          return
        """,
        name="exchange",
    )


def test_a_template_without_arguments_is_analysed_as_it_stands() -> None:
    check(
        """
        template <typename T, int N> __global__ void k(T* a) {
          for (int i = 0; i < N; i++) a[i] = a[i] + T(1);
        }
        """,
        """
        block0:
          %1: s32 = const 0
          jump block1
        block1:
          %2: s32 = phi block0: %1, block3: %12
          %3: s32 = template N
          %4: bool = lt %2, %3
          branch %4, block2, block4 !0 loop
        block2:
          %5: ptr<global template T> = element %0, %2
          %6: template T = load %5
          %7: s32 = const 1
          %8: template T = convert %7
          %9: template T = add %6, %8
          %10: ptr<global template T> = element %0, %2
          store %10, %9
          jump block3
        block3:
          %11: s32 = const 1
          %12: s32 = add %2, %11
          jump block1
        block4:
          return
        """,
    )


def test_a_method_call_passes_the_object() -> None:
    check(
        """
        struct S { int a; float b; __device__ float sum() const { return a + b; } };
        __global__ void k(S* s, float* o) { S t = s[1]; t.b = 2; o[0] = t.sum(); }
        """,
        """
        block0:
          %2: ptr<local struct S> = address $0
          %3: s32 = const 1
          %4: ptr<global struct S> = element %0, %3
          %5: struct S = load %4
          store %2, %5
          %6: s32 = const 2
          %7: ptr<local f32> = field %2, 1
          %8: f32 = convert %6
          store %7, %8
          %9: ptr<generic struct S> = bitcast %2
          %10: f32 = call @"S::sum() const"(%9)
          %11: s32 = const 0
          %12: ptr<global f32> = element %1, %11
          store %12, %10
          return
        """,
    )
