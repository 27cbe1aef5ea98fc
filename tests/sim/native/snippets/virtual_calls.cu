// Written for this comparison; see `snippets.py`.
//// virtual pointer
struct A { __device__ virtual int f(int x) const { return x; } }; struct B : A { int k = 3; __device__ int f(int x) const override { return x * k; } };
//// body
  A a; B b;
  const A *p = in[t] & 1 ? &a : &b;
  int v = p->f(t);

//// virtual reference parameter
struct A { int k = 2; __device__ virtual int f(int x) const { return x; } }; struct B : A { __device__ int f(int x) const override { return x * k; } };
__device__ int ask(const A &a, int x) { return a.f(x) + 1; }
//// body
  A a; B b;
  int v = in[t] & 1 ? ask(a, t) : ask(b, t);

//// virtual array of bases
struct A { __device__ virtual int f(int x) = 0; }; struct B : A { __device__ int f(int x) override { return x + 1; } };
struct C : A { int calls = 0; __device__ int f(int x) override { return ++calls * x; } }; struct D : C { __device__ int f(int x) override { return C::f(x) + calls; } };
//// body
  B b; C c; D d;
  A *all[3] = {&b, &c, &d};
  int v = 0;
  for (int i = 0; i < 5; ++i) v += all[(i + t) % 3]->f(i);

//// virtual in shared memory
struct A { int k; __device__ A(int k) : k(k) {} __device__ virtual int f(int x) { return x + k; } };
struct B : A { __device__ B(int k) : A(k) {} __device__ int f(int x) override { return x * k; } };
//// body
  __shared__ char __align__(8) room[64][sizeof(B)];
  A *own = t % 3 ? new (room[t]) A(t) : new (room[t]) B(t);
  __syncthreads();
  A *other = (A *)(void *)room[63 - t];
  int v = own->f(2) + other->f(3);

//// virtual on the heap
struct A { __device__ virtual int f(int x) { return x; } __device__ virtual ~A() {} };
struct B : A { int *count; __device__ B(int *c) : count(c) {} __device__ int f(int x) override { return 2 * x; } __device__ ~B() override { *count += 5; } };
//// body
  int ended = 0;
  A *p = t & 1 ? new A : new B(&ended);
  int v = p->f(t);
  delete p;
  v += ended;

//// virtual second base
struct A { int a = 1; __device__ virtual int f() { return a; } }; struct B { int b = 2; __device__ virtual int g(int x) { return b + x; } };
struct C : A, B { int c = 3; __device__ int f() override { return a + 10 * c; } __device__ int g(int x) override { return a + b + c + x; } };
//// body
  C c; B b; A a;
  A *p = t & 1 ? (A *)&c : &a;
  B *q = t & 2 ? (B *)&c : &b;
  int v = p->f() + 100 * q->g(n);

//// virtual second base ends
struct A { int a = 1; __device__ virtual ~A() {} }; struct B { int b = 2; __device__ virtual ~B() {} };
struct C : A, B { int *o; __device__ C(int *o) : o(o) {} __device__ ~C() { *o = a + b; } };
//// body
  int v = 0;
  alignas(8) char room[sizeof(C)];
  B *p = new (room) C(&v);
  p->~B();

//// virtual behind plain base
struct P { int p = 4; }; struct A : P { int a = 1; __device__ virtual int f() { return a + p; } }; struct B : A { __device__ int f() override { return a * p; } };
//// body
  A a; B b; b.p = 7;
  A *q = in[t] & 1 ? &b : &a;
  P *p = q;
  int v = q->f() + 10 * p->p;

//// virtual while it is made
struct A { int seen; __device__ A() { seen = ask(this); } __device__ static int ask(A *a) { return a->f(); } __device__ virtual int f() { return 1; } };
struct B : A { int again; __device__ B() { again = ask(this); } __device__ int f() override { return 2; } };
//// body
  B b;
  int v = b.seen * 10 + b.again + 100 * A::ask(&b);

//// virtual while it ends
struct A { int *o; __device__ A(int *o) : o(o) {} __device__ static int ask(A *a) { return a->f(); } __device__ virtual int f() { return 1; } __device__ ~A() { *o = *o * 10 + ask(this); } };
struct B : A { using A::A; __device__ int f() override { return 2; } __device__ ~B() { *o = *o * 10 + ask(this); } };
//// body
  int v = 0;
  { B b(&v); v = A::ask(&b); }

//// virtual copies and slices
struct A { int k = 1; __device__ virtual int f() const { return k; } }; struct B : A { __device__ int f() const override { return 10 * k; } };
__device__ int by_value(A a) { const A *p = &a; return p->f(); }
__device__ int ask(const A &a) { return a.f(); }
//// body
  B b; b.k = 3;
  A sliced = b, assigned;
  assigned = b;
  B copied = b;
  A &seen = copied;
  A other; other.k = 7;
  seen = other;
  int v = ask(sliced) + ask(assigned) + 10 * by_value(b) + ask(copied) * 100;

//// virtual default arguments
struct A { __device__ virtual int f(int x = 3) { return x; } }; struct B : A { __device__ int f(int x = 5) override { return 2 * x; } };
//// body
  A a; B b; A *p = t & 1 ? &a : &b;
  int v = p->f();

//// virtual calls virtual
struct A { __device__ virtual int f(int x) { return x < 1 ? 0 : g(x - 1) + 1; } __device__ virtual int g(int x) { return 2 * x; } };
struct B : A { __device__ int g(int x) override { return f(x); } }; struct C : B { __device__ int f(int x) override { return 7 + B::f(x / 2); } };
//// body
  A a; B b; C c; A *p = t % 3 ? t % 3 > 1 ? (A *)&a : &b : &c;
  int v = p->f(n);

//// virtual returns reference
struct A { int k = 1; __device__ virtual int &at() { return k; } }; struct B : A { int l = 2; __device__ int &at() override { return l; } };
//// body
  A a; B b; A *p = t & 1 ? &a : &b;
  p->at() = 5;
  int v = a.k + 10 * b.k + 100 * b.l;

//// virtual template
template <class T> struct A { __device__ virtual T f(T x) = 0; }; template <class T> struct B : A<T> { T k = 2; __device__ T f(T x) override { return x * k; } };
template <class T> struct C : public A<T> { __device__ T f(T x) override { return x + 1; } };
//// body
  B<int> b; C<int> c; A<int> *p = in[t] & 1 ? (A<int> *)&b : &c;
  int v = p->f(t);

//// virtual and hidden overloads
struct A { __device__ virtual int f(int x) { return x; } __device__ virtual int f(float x) { return 2 * x; } }; struct B : A { using A::f; __device__ int f(float x) override { return 3 * x; } };
//// body
  A a; B b; A *p = t & 1 ? &a : &b;
  int v = p->f(1) + p->f(2.0f);

//// virtual member objects
struct A { int k = 1; __device__ virtual int f() { return k; } }; struct B : A { __device__ int f() override { return 5; } };
struct Both { B b; A a; };
//// body
  Both both; A *p = in[t] & 1 ? (A *)&both.b : &both.a;
  int v = p->f();

//// virtual array elements
struct A { int k = 1; __device__ virtual int f() { return k; } }; struct B : A { int l; __device__ B() : l(4) {} __device__ int f() override { return l; } };
//// body
  B many[3]; many[1].l = 6;
  A *p = &many[in[t] % 3];
  int v = p->f();
