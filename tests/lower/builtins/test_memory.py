"""Memory, textures, random numbers, output: a call in, IR lines out."""

from __future__ import annotations

from tests.lower.builtins.calls import check


def test_loads_and_stores_with_cache_hints() -> None:
    check("__ldg(float4*)", "%1: <4 x f32 align 16> = load %0")
    check(
        "__stcg(f32*, f64)",
        """
        %2: f32 = convert %1
        store %0, %2
        """,
    )


def test_allocation() -> None:
    check(
        "malloc(s32)",
        """
        %1: u64 = convert %0
        %2: ptr<generic void> = allocate %1
        """,
    )
    check("free(f32*)", "")


def test_small_copies_go_element_by_element() -> None:
    check(
        "memcpy(f32*, f32*, s32=8)",
        """
        %3: u64 = convert %2
        %4: u64 = const 0
        %5: ptr<global f32> = element %1, %4
        %6: f32 = load %5
        %7: ptr<global f32> = element %0, %4
        store %7, %6
        %8: u64 = const 1
        %9: ptr<global f32> = element %1, %8
        %10: f32 = load %9
        %11: ptr<global f32> = element %0, %8
        store %11, %10
        """,
    )
    check(
        "memset(s32*, s32=0, u64=8)",
        """
        %3: u64 = const 0
        %4: s32 = const 0
        %5: ptr<global s32> = element %0, %3
        store %5, %4
        %6: u64 = const 1
        %7: s32 = const 0
        %8: ptr<global s32> = element %0, %6
        store %8, %7
        """,
    )


def test_copies_between_types_go_by_integers() -> None:
    check(
        "memcpy(f32*, int4*, s32=4)",
        """
        %3: u64 = convert %2
        %4: u64 = const 0
        %5: ptr<global u32> = bitcast %1
        %6: ptr<global u32> = bitcast %0
        %7: ptr<global u32> = element %5, %4
        %8: u32 = load %7
        %9: ptr<global u32> = element %6, %4
        store %9, %8
        """,
    )


def test_addresses() -> None:
    check("__isGlobal(f32*)", "%1: u32 = math isglobal %0")
    check("__cvta_generic_to_shared(f32*)", "%1: u64 = bitcast %0")


def test_textures_by_object_reference_and_pointer() -> None:
    check(
        "tex1Dfetch<float4>(cudaTextureObject_t, s32)",
        """
        %2: <4 x f32 align 16> = texture fetch %0, %1
        """,
    )
    check(
        "tex2D<u8>(u64, s32, f32)",
        """
        %3: f32 = convert %1
        %4: u8 = texture fetch2d %0, %3, %2
        """,
    )
    check("tex2D(texture<f32,2>, f32, f32)", "%3: f32 = texture fetch2d %0, %1, %2")
    check(
        "tex3D(f32*, cudaTextureObject_t, f32, f32, f32)",
        """
        %5: f32 = texture fetch3d %1, %2, %3, %4
        store %0, %5
        """,
    )


def test_surfaces() -> None:
    check(
        "surf2Dread<u8>(cudaSurfaceObject_t, s32, s32, s32)",
        """
        %4: u8 = texture surface_read %0, %1, %2, %3
        """,
    )
    check("surf2Dwrite(u8, cudaSurfaceObject_t, s32, s32)", "texture surface_write %1, %0, %2, %3")


def test_a_random_state_comes_from_its_seed() -> None:
    check(
        "curand_init(u64, s32, s32, curandState*)",
        """
        %4: u64 = convert %1
        %5: u64 = convert %2
        %6: handle curandStateXORWOW = math random.seed %0, %4, %5
        store %3, %6
        """,
    )


def test_a_draw_reads_and_advances_the_state() -> None:
    check(
        "curand(curandState*)",
        """
        %1: handle curandStateXORWOW = load %0
        %2: u32 = math random.bits %1
        %3: handle curandStateXORWOW = math random.advance %1
        store %0, %3
        """,
    )
    check(
        "curand_normal2(curandStatePhilox4_32_10_t*)",
        """
        %1: handle curandStatePhilox4_32_10 = load %0
        %2: f32 = math random.normal %1
        %3: handle curandStatePhilox4_32_10 = math random.advance %1
        store %0, %3
        %4: handle curandStatePhilox4_32_10 = load %0
        %5: f32 = math random.normal %4
        %6: handle curandStatePhilox4_32_10 = math random.advance %4
        store %0, %6
        %7: <2 x f32 align 8> = build %2, %5
        """,
    )


def test_output_and_assertions() -> None:
    check("printf(s8*=%d, s32)", '%2: s32 = print "%d" %1')
    check(
        "assert(s32)",
        """
        %1: s32 = const 0
        %2: bool = ne %0, %1
        assert %2
        """,
    )
    check("__trap()", "trap")


def test_clocks_and_hints() -> None:
    check("clock64()", "%0: s64 = special clock")
    check("__nanosleep(u32)", "")
    check(
        "__builtin_expect(bool, s32)",
        """
        %2: s64 = convert %0
        %3: s64 = convert %1
        """,
    )


def test_the_device_runtime_is_opaque_without_a_barrier() -> None:
    check("cudaDeviceSynchronize()", '%0: s32 = opaque "cudaDeviceSynchronize"')
