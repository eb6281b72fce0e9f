/** Limit that is exhausted: the share of one owner, or the slots of all. */
export type Full = 'owner' | 'all';

/** Error of work that can neither run nor wait. */
export class NoSlot extends Error {
  override readonly name = 'NoSlot';
  readonly full: Full;
  constructor(full: Full) {
    super(full === 'owner' ? 'the owner has all its slots and waiting places' : 'all slots and waiting places are taken');
    this.full = full;
  }
}

export interface FairSlotsOptions {
  /** Returns the maximum number of works that run at once, at least 1. It is called whenever work could start, so it may change. */
  readonly slots: () => number;
  /** Returns the maximum number per owner; without it, one owner may use all slots. */
  readonly slotsPerOwner?: () => number;
  /** Returns the maximum number of works that wait for a slot. It is called whenever work would wait. */
  readonly waiting: () => number;
  /** Maximum number per owner; without it, one owner may use all waiting places. */
  readonly waitingPerOwner?: number;
  /** Creates the signal that ends a wait that takes too long. Work that must wait has no limit. */
  readonly waitLimit?: () => AbortSignal;
}

export interface RunOptions {
  /** Ends the wait, with its reason. It does not stop running work. */
  readonly signal?: AbortSignal;
  /** True for work that waits regardless of the length of the queue. */
  readonly mustWait?: boolean;
}

interface Waiter {
  readonly start: () => void;
  /** Refuses the work; null for work that must wait. */
  readonly refuse: ((full: Full) => void) | null;
}

interface Owner {
  running: number;
  /** Waiting works in the order of arrival. */
  readonly waiting: Set<Waiter>;
  /** Number of waiting works that may be refused. */
  refusable: number;
}

/**
 * Shares slots among owners, usually API keys, by max-min fairness. A free slot goes to the waiting owner that has the fewest, round robin
 * among equals. When all waiting places are taken, new work of another owner evicts the newest work of the owner with the longest queue,
 * so an owner with a short queue is never refused because of one with a long queue. It costs a scan of the owners when a slot is freed
 * while work waits, and while all slots are taken.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  /** Owners in the order in which each was last served. Owners without work are removed. */
  readonly #owners = new Map<string, Owner>();
  #running = 0;
  /** Number of waiting works, without those that must wait. */
  #waiting = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** Number of running works. */
  get running(): number {
    return this.#running;
  }

  /** Number of waiting works, without those that must wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Runs `work` in a slot, immediately or after waiting.
   * @throws NoSlot when it may not wait; the reason of `signal` when that ends the wait
   */
  async run<T>(owner: string, work: () => Promise<T>, options: RunOptions = {}): Promise<T> {
    const state = this.#stateOf(owner);
    if (state.waiting.size > 0 || !this.#hasSlot(state)) await this.#wait(owner, state, options);
    else this.#start(owner, state);
    try {
      return await work();
    } finally {
      state.running -= 1;
      this.#running -= 1;
      this.#removeIdle(owner, state);
      this.#startWaiting();
    }
  }

  /** Returns the limit that would refuse work of this owner now; null if it would run or wait. */
  refusal(owner: string): Full | null {
    const { waitingPerOwner = Number.POSITIVE_INFINITY } = this.#options;
    const state = this.#owners.get(owner);
    if (!state?.waiting.size && this.#hasSlot(state)) return null;
    const own = state?.refusable ?? 0;
    if (own >= waitingPerOwner) return 'owner';
    return this.#waiting < this.#options.waiting() || (this.#longest()?.refusable ?? 0) > own + 1 ? null : 'all';
  }

  #stateOf(owner: string): Owner {
    const state = this.#owners.get(owner) ?? { running: 0, waiting: new Set<Waiter>(), refusable: 0 };
    this.#owners.set(owner, state);
    return state;
  }

  /**
   * True when no owner gets a slot. After the limits have become smaller, the works of an owner beyond its share do not take slots of
   * others, so that an owner that ran too much is refused first.
   */
  get isFull(): boolean {
    const { slots, slotsPerOwner = slots } = this.#options;
    if (this.#running < slots()) return false;
    const share = slotsPerOwner();
    let taken = 0;
    for (const { running } of this.#owners.values()) taken += Math.min(running, share);
    return taken >= slots();
  }

  #hasSlot(state: Owner | undefined): boolean {
    const { slots, slotsPerOwner = slots } = this.#options;
    return (state?.running ?? 0) < slotsPerOwner() && !this.isFull;
  }

  #start(owner: string, state: Owner): void {
    this.#owners.delete(owner); // the owner is now the last one in the round robin
    this.#owners.set(owner, state);
    state.running += 1;
    this.#running += 1;
  }

  /** Resolves when the work gets a slot. */
  #wait(owner: string, state: Owner, { signal, mustWait = false }: RunOptions): Promise<void> {
    const full = mustWait ? null : this.refusal(owner);
    if (full || signal?.aborted) {
      this.#removeIdle(owner, state);
      return Promise.reject(full ? new NoSlot(full) : signal?.reason);
    }
    if (!mustWait && this.#waiting >= this.#options.waiting()) this.#refuseNewest();
    const limit = mustWait ? undefined : this.#options.waitLimit?.();
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal?.removeEventListener('abort', onAbort);
        limit?.removeEventListener('abort', onLimit);
        state.waiting.delete(waiter);
        if (!mustWait) this.#count(state, -1);
      };
      const end = (reason: unknown) => {
        leave();
        this.#removeIdle(owner, state);
        reject(reason);
      };
      const onAbort = () => end(signal?.reason);
      const onLimit = () => end(new NoSlot(this.#hasSlot({ ...state, running: 0 }) ? 'owner' : 'all'));
      const waiter: Waiter = {
        start: () => {
          leave();
          this.#start(owner, state);
          resolve();
        },
        refuse: mustWait ? null : (reason) => end(new NoSlot(reason)),
      };
      signal?.addEventListener('abort', onAbort);
      limit?.addEventListener('abort', onLimit);
      state.waiting.add(waiter);
      if (!mustWait) this.#count(state, 1);
    });
  }

  #count(state: Owner, change: 1 | -1): void {
    state.refusable += change;
    this.#waiting += change;
  }

  #refuseNewest(): void {
    [...(this.#longest()?.waiting ?? [])].findLast(({ refuse }) => refuse !== null)?.refuse?.('all');
  }

  /** Returns the owner with the most work that may be refused. */
  #longest(): Owner | undefined {
    let longest: Owner | undefined;
    for (const state of this.#owners.values()) if (state.refusable > (longest?.refusable ?? 0)) longest = state;
    return longest;
  }

  #startWaiting(): void {
    while (this.#waiting > this.#options.waiting()) this.#refuseNewest();
    for (let next = this.#next(); next; next = this.#next()) {
      const [first] = next.waiting;
      first?.start();
    }
  }

  /**
   * Returns the owner whose work starts next; undefined if none may start. The limits are read once, because thousands of owners may wait.
   */
  #next(): Owner | undefined {
    const { slots, slotsPerOwner = slots } = this.#options;
    if (this.isFull) return undefined;
    let next: Owner | undefined;
    let fewest = slotsPerOwner();
    for (const state of this.#owners.values()) {
      if (state.waiting.size === 0 || state.running >= fewest) continue;
      next = state;
      fewest = state.running;
    }
    return next;
  }

  #removeIdle(owner: string, state: Owner): void {
    if (state.running === 0 && state.waiting.size === 0 && this.#owners.get(owner) === state) this.#owners.delete(owner);
  }
}
