import { Command, Option } from 'commander'
import { wholeNumber } from '../options.ts'

/** Creates the command line of a measurement, with the options that all measurements share. */
export function benchCommand(name: string, description: string): Command {
  return new Command(`bench:${name}`)
    .description(description)
    .addOption(
      new Option(
        '--data <where>',
        'postgres://… of a TimescaleDB, or the folder of an embedded database',
      ).env('DATABASE_URL'),
    )
    .addOption(new Option('--redis <url>', 'Redis to use; a private one unless given').env('REDIS_URL'))
}

/** Creates an option whose value is a whole number in a range. */
export function numberOption(flags: string, description: string, range: [min: number, max: number]): Option {
  return new Option(flags, description).argParser(wholeNumber(...range))
}
