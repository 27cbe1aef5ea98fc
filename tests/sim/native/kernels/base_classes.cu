// Expression templates over a base that knows its derived class, friends, several bases, casts up and down.
namespace lazy {
template <class Derived> struct Expression {
    __device__ float at(int i) const { return static_cast<const Derived &>(*this).value(i); }
};
struct View : Expression<View> {
    const float *data;
    __device__ View(const float *data) : data(data) {}
    __device__ float value(int i) const { return data[i]; }
};
template <class L, class R> struct Sum : Expression<Sum<L, R>> {
    L left;
    R right;
    __device__ Sum(L l, R r) : left(l), right(r) {}
    __device__ float value(int i) const { return left.at(i) + right.at(i); }
};
template <class L, class R> __device__ Sum<L, R> operator+(const Expression<L> &l, const Expression<R> &r) {
    return {static_cast<const L &>(l), static_cast<const R &>(r)};
}
template <class E> __device__ float first_two(const Expression<E> &e) { return e.at(0) + e.at(1); }
}  // namespace lazy

template <class T> struct Interval {
    T low, high;
    __device__ friend Interval operator|(Interval a, const Interval &b) {
        a.low = a.low < b.low ? a.low : b.low;
        a.high = a.high > b.high ? a.high : b.high;
        return a;
    }
    friend __device__ T width(const Interval &i) { return i.high - i.low; }
    friend __device__ Interval operator-(Interval a) { return {-a.high, -a.low}; }
    __device__ Interval operator-(T shift) const { return {low - shift, high - shift}; }
};

struct Position { float x, y; };
struct Velocity { float u, v; };
template <class Derived> struct Moving {
    float energy;
    __device__ float speed() { return static_cast<Derived *>(this)->u + static_cast<const Derived &>(*this).v; }
};
struct Particle : Position, Velocity, Moving<Particle> { int kind; };
__device__ float advance(Velocity &v) { return v.u *= 2; }

__global__ void base_classes(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    lazy::View va(a), vb(b);
    auto sum = va + vb + va;
    float result = sum.at(i) + first_two(va + vb);
    Interval<float> one{a[i], a[i] + 1}, two = {b[i], b[i] + 2};
    Interval<float> both = one | two;
    result += width(both - a[0]) + width(-both) - (-both).low;
    Particle p;
    p.x = a[i], p.y = b[i], p.u = 3, p.v = 4, p.energy = 5, p.kind = i;
    Velocity *part = &p;
    Particle *whole = static_cast<Particle *>(part);
    result += advance(p) + part->u + whole->kind + p.speed();
    out[i] = result;
}
