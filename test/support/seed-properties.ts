import fc from 'fast-check'
import { seeded } from './runs.ts'

/** A property without a seed of its own takes that of the run: the same command gives the same cases. */
fc.configureGlobal({ seed: seeded(1) })
