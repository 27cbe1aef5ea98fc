// All pairs, by tiles of bodies in shared memory; vectors of four and operators on a struct of three.
struct Vector {
    float x, y, z;
    __device__ Vector(float x, float y, float z) : x(x), y(y), z(z) {}
    __device__ Vector operator-(const Vector &b) const { return Vector(x - b.x, y - b.y, z - b.z); }
    __device__ Vector &operator+=(const Vector &b) { x += b.x; y += b.y; z += b.z; return *this; }
    __device__ float dot(const Vector &b) const { return x * b.x + y * b.y + z * b.z; }
};
__device__ Vector operator*(float f, const Vector &v) { return Vector(f * v.x, f * v.y, f * v.z); }

__global__ void n_body(const float4 *bodies, float4 *forces, int n, float softening) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = i < n ? bodies[i] : make_float4(0.f, 0.f, 0.f, 0.f);
    Vector at(mine.x, mine.y, mine.z), sum(0.f, 0.f, 0.f);
    for (int start = 0; start < n; start += blockDim.x) {
        tile[threadIdx.x] = start + threadIdx.x < n ? bodies[start + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int j = 0; j < blockDim.x; j++) {
            float4 other = tile[j];
            Vector d = Vector(other.x, other.y, other.z) - at;
            float r2 = d.dot(d) + softening, r = 1.0f / sqrtf(r2);
            sum += other.w * r * r * r * d;
        }
        __syncthreads();
    }
    if (i < n) forces[i] = make_float4(sum.x, sum.y, sum.z, mine.w);
}
