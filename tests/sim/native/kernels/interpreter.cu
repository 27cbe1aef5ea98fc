// A machine with a stack in local memory: `switch` with fall-through, `goto`, wrong programs that end early.
enum Code { PUSH, ADD, SUBTRACT, MULTIPLY, DUPLICATE, SWAP, JUMP_IF_ZERO, LOOP, OVER, END };
__global__ void interpreter(const unsigned char *programs, int size, const int *inputs, int *results, int *steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, stack[16], top = 0, at = 0, count = 0;
    const unsigned char *code = programs + (i % 4) * size;
    stack[top++] = inputs[i];
next:
    if (++count > 60 || at >= size || top < 1 || top > 14) goto done;
    switch (code[at++]) {
        case PUSH: stack[top++] = (signed char)code[at++]; goto next;
        case ADD: stack[top - 2] += stack[top - 1]; --top; goto next;
        case SUBTRACT: stack[top - 1] = -stack[top - 1]; stack[top - 2] += stack[top - 1]; --top; break;
        case MULTIPLY: {
            int product = stack[top - 1] * stack[top - 2];
            stack[--top - 1] = product;
            break;
        }
        case OVER: stack[top] = stack[top - 2]; top++; break;
        case DUPLICATE: stack[top] = stack[top - 1]; ++top; break;
        case SWAP: { int x = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = x; } break;
        case JUMP_IF_ZERO: if (!stack[--top]) at += code[at]; else at++; break;
        case LOOP: at -= code[at]; break;
        default: goto done;
    }
    goto next;
done:
    results[i] = top > 0 && top < 16 ? stack[top - 1] : -1;
    steps[i] = count;
}
