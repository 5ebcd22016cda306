/**
 * Returns a TypeScript file to stand beside the client's `index.d.ts`: it has a type error, naming the procedure, for each
 * input and output that differs between the declarations and the service.
 * @param paths of all procedures, such as `stats.overview`
 */
export function comparison(paths: string[]): string {
  const checks = paths.flatMap(path => {
    const member = path.replaceAll(/[^.]+\.?/g, name => `['${name.replace('.', '')}']`)
    return ['Input', 'Output'].map(
      side => `Same<'${side} of ${path}', ${side}s<Client>${member}, ${side}s<Service>${member}>`,
    )
  })
  return `
import type { inferRouterError, inferRouterInputs as Inputs, inferRouterOutputs as Outputs } from '@trpc/server'
import type { AppRouter as Service } from '../../trpc/root.ts'
import type { AppRouter as Client } from './index.d.ts'

type Is<A> = <T>() => T extends A ? 1 : 2
type Same<Name, A, B> = Is<A> extends Is<B> ? true : Name
const errors: Same<'Errors', inferRouterError<Client>, inferRouterError<Service>> = true
${checks.map((check, index) => `const check${index}: ${check} = true`).join('\n')}
`
}
