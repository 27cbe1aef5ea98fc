// Option prices: exponentials, logarithms and a polynomial for the normal distribution.
__device__ double cumulative(double d) {
    const double A1 = 0.31938153, A2 = -0.356563782, A3 = 1.781477937, A4 = -1.821255978, A5 = 1.330274429;
    double k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    double value = 0.39894228040143267794 * exp(-0.5 * d * d) * (k * (A1 + k * (A2 + k * (A3 + k * (A4 + k * A5)))));
    return d > 0 ? 1.0 - value : value;
}
__global__ void black_scholes(double2 *prices, const double *spot, const double *strike, const float *years, double rate,
                              double volatility, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double root = sqrt((double)years[i]);
        double d1 = (log(spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (volatility * root);
        double d2 = d1 - volatility * root, c1 = cumulative(d1), c2 = cumulative(d2);
        double discounted = strike[i] * exp(-rate * years[i]);
        prices[i].x = spot[i] * c1 - discounted * c2;
        prices[i].y = discounted * (1.0 - c2) - spot[i] * (1.0 - c1);
    }
}
