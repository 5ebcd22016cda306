import { CSV_DELIMITER_MEANING, CSV_DELIMITERS } from '../../platform/schema/csv-delimiter.ts'
import type { Json } from './schemas.ts'

/** Query parameter of the endpoints that answer with a CSV file. */
export const csvDelimiter: Json = {
  name: 'csv_delimiter',
  in: 'query',
  description: CSV_DELIMITER_MEANING,
  schema: { type: 'string', enum: CSV_DELIMITERS, default: 'comma' },
  example: 'semicolon',
}
