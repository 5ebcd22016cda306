import { z } from 'zod'

// Schemas of answer fields for the API description. They check only the type.

export const uuid = (description: string) => z.string().meta({ format: 'uuid', description })

export const timestamp = (description: string) => z.string().meta({ format: 'date-time', description })

/** A whole number from 0. */
export const count = (description: string, example: number) =>
  z.int().meta({ minimum: 0, description, example })

export const decimal = (description: string, example: number) => z.number().meta({ description, example })

export const label = (description: string, example: string) => z.string().meta({ description, example })

export const flag = (description: string, example = false) => z.boolean().meta({ description, example })
