import type { Inputs } from '../../api/types.ts'
import type { FilterName } from '../../state/filters.ts'

/** A dimension whose values a breakdown lists, and which filters know. */
export type Dimension = Inputs['stats']['breakdown']['dimension'] & FilterName
