import type { ModuleMemory } from '../../src/platform/embedded/memory-files.ts'

/** Memory of databases that were closed. Touching a page for the first time costs far more than clearing it: 0.7 s for a database. */
const free: ModuleMemory[] = []
const MOST_FREE = 2

/** The size that PGlite asks for, and the most that its module allows; pages of 64 KiB. */
const SIZE = { initial: 256, maximum: 32_768 }

const { Memory } = Reflect.get(globalThis, 'WebAssembly') as {
  Memory: new (size: typeof SIZE) => ModuleMemory
}

/** Returns memory for a database, all zeros. Give it back when the database is closed. */
export function takeMemory(): ModuleMemory {
  const memory = free.pop()
  if (!memory) return new Memory(SIZE)
  new Uint8Array(memory.buffer).fill(0)
  return memory
}

export function giveMemoryBack(memory: ModuleMemory): void {
  if (free.length < MOST_FREE) free.push(memory)
}
