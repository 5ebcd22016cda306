import type { Config } from '../src/platform/config/config.ts'

/** Returns command-line options of Node.js, by what a process does. */
export const nodeArgsFor = ({ isSmallMachine }: Pick<Config, 'isSmallMachine'>) => ({
  /**
   * Size of the semi-space for young objects, MiB. Hits live as long as their batch. With the default of 16, many are copied into the old
   * generation before they are freed. It takes 12 % of the time of an ingest process, with 32 it takes 8 %; an HTTP worker spends 5 % less
   * CPU for a hit with 32. Both semi-spaces take 64 MiB of each process under load, too much for a small machine.
   */
  hits: [`--max-semi-space-size=${isSmallMachine ? 4 : 32}`],
  /**
   * V8 optimises a function of the module when it has run for some hundredths of a second, not at once, and one function at a time: a start
   * takes 0.8 s less CPU, and 80 MiB less are in use after it. The module keeps its objects in memory of its own, so young objects of
   * JavaScript are few.
   */
  database: ['--wasm-tiering-budget=18000000', '--wasm-num-compilation-tasks=1', '--max-semi-space-size=2'],
})

/**
 * Environment of the embedded database for the memory allocator of glibc: one arena for all threads, and blocks from 128 KiB on go back to
 * the system when they are freed, 35 MiB less. In processes that take hits it would save 7 MiB and cost about a tenth of the CPU of a hit.
 */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' }
