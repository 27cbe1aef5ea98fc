// The program around the kernels: reads launches, runs them, writes what memory holds then.
//
// Request   words of 64 bits: entry, backwards, grid (3), block (3); the number of variables to set, and for each its name
//           and contents; for each parameter of the kernel the kind of argument and its value or contents.
//           Contents are a size and bytes, padded to words.
// Reply     bytes of each array, of each variable of the entry's unit (size, bytes), and what was printed; a size first.
#pragma once

#include <tuple>
#include <utility>

#include "threads.h"

namespace simt {

enum Argument : uint64_t { INTEGER, FLOATING, ARRAY, OBJECT };

struct Variable {
    const char* unit;
    const char* name;
    void* address;
    size_t size;
    std::vector<char> initial;
};

struct Stream {
    bool word(uint64_t& value) { return std::fread(&value, 8, 1, stdin) == 1; }
    uint64_t word() {
        uint64_t value;
        if (!word(value)) fail("the request is cut off");
        return value;
    }
    std::vector<char> bytes() {
        const size_t size = word();
        std::vector<char> result((size + 7) / 8 * 8);
        if (!result.empty() && std::fread(result.data(), result.size(), 1, stdin) != 1) fail("the request is cut off");
        result.resize(size);
        return result;
    }
    void write(const void* data, uint64_t size) {
        std::fwrite(&size, 8, 1, stdout);
        std::fwrite(data, 1, size, stdout);
    }
};

struct Request {
    Stream stream;
    std::vector<std::pair<void*, size_t>> arrays;

    template <class T> T argument() {
        const uint64_t kind = stream.word();
        if constexpr (std::is_pointer_v<T>) {
            if (kind != ARRAY) fail("a pointer needs an array");
            const std::vector<char> data = stream.bytes();
            void* memory = std::aligned_alloc(256, (data.size() + 511) / 256 * 256);
            if (!data.empty()) std::memcpy(memory, data.data(), data.size());
            arrays.push_back({memory, data.size()});
            return static_cast<T>(memory);
        } else if constexpr (std::is_class_v<T>) {
            if (kind != OBJECT) fail("a struct needs its bytes");
            const std::vector<char> data = stream.bytes();
            if (data.size() != sizeof(T)) fail("a struct of another size");
            T value;
            std::memcpy(static_cast<void*>(&value), data.data(), sizeof value);
            return value;
        } else {
            const uint64_t word = stream.word();
            if (kind == INTEGER) return T(int64_t(word));
            double number;
            std::memcpy(&number, &word, 8);
            return T(number);
        }
    }
};

template <class... P> void launch(void (*kernel)(P...), Request& request) {
    // Braces evaluate from left to right.
    std::tuple<void (*)(P...), std::decay_t<P>...> all{kernel, request.argument<std::decay_t<P>>()...};
    using All = decltype(all);
    run_grid(
        [](void* given) {
            std::apply([](auto* called, auto... arguments) { called(arguments...); }, *static_cast<All*>(given));
        },
        &all);
}

struct Entry {
    const char* unit;
    void (*run)(Request&);
};

inline void remember(std::vector<Variable>& variables) {
    for (Variable& one : variables) {
        const char* start = static_cast<const char*>(one.address);
        one.initial.assign(start, start + one.size);
    }
}

// What a launch before left in variables must not reach this one.
inline void restore(std::vector<Variable>& variables) {
    for (Variable& one : variables) std::memcpy(one.address, one.initial.data(), one.size);
}

inline int serve(const std::vector<Entry>& entries, std::vector<Variable> variables) {
    remember(variables);
    uint64_t number;
    for (Stream in; in.word(number);) {
        if (number >= entries.size()) fail("no such entry");
        const Entry& entry = entries[number];
        Request request;
        backwards = in.word() != 0;
        for (uint3* shape : {&gridDim, &blockDim}) *shape = {unsigned(in.word()), unsigned(in.word()), unsigned(in.word())};
        restore(variables);
        for (uint64_t left = in.word(); left; left--) {
            const std::vector<char> name = in.bytes(), data = in.bytes();
            for (Variable& one : variables)
                if (std::string(name.begin(), name.end()) == one.name && std::string(entry.unit) == one.unit) {
                    if (data.size() != one.size) fail("a variable of another size");
                    std::memcpy(one.address, data.data(), data.size());
                }
        }
        printed.clear();
        entry.run(request);
        for (auto& [memory, size] : request.arrays) {
            in.write(memory, size);
            std::free(memory);
        }
        for (const Variable& one : variables)
            if (std::string(one.unit) == entry.unit) in.write(one.address, one.size);
        in.write(printed.data(), printed.size());
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace simt
