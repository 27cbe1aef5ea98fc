// Written for these tests; each line is a declaration.
template <class T> struct IsNumber { static constexpr bool value = false; };
template <> struct IsNumber<int> { static constexpr bool value = true; };
template <> struct IsNumber<float> { static constexpr bool value = true; };
template <> struct IsNumber<long> { static constexpr bool value = true; };
template <class T> concept Number = IsNumber<T>::value;
template <class T> concept BigNumber = Number<T> && sizeof(T) == 8;
template <class T> concept HasB = requires(T t) { t.b; };
template <bool B, class T = void> struct EnableIf {};
template <class T> struct EnableIf<true, T> { using type = T; };
