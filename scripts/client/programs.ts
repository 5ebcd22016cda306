import { dirname } from 'node:path'
import ts from 'typescript'

/**
 * TypeScript programs over the same files. Each file is parsed and bound once: that takes 4 s for the service.
 * @param configFile a tsconfig.json, read for its `compilerOptions`
 */
export function createPrograms(configFile: string) {
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, dirname(configFile))
  const host = ts.createCompilerHost(options)
  const parse = host.getSourceFile
  const files = new Map<string, ts.SourceFile | undefined>()
  host.getSourceFile = (file, ...rest) => {
    if (!files.has(file)) files.set(file, parse.call(host, file, ...rest))
    return files.get(file)
  }
  const open = (file: string) => {
    const program = ts.createProgram([file], options, host)
    return { program, source: program.getSourceFile(file)! }
  }
  return {
    /** The checker of a program, and a type that `file` exports. */
    exportedType(file: string, name: string): [ts.TypeChecker, ts.Type] {
      const { program, source } = open(file)
      const checker = program.getTypeChecker()
      const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)
      return [checker, checker.getDeclaredTypeOfSymbol(symbols.find(symbol => symbol.name === name)!)]
    },
    /** The type errors of `text`, as if it stood in `file`. */
    errorsIn(file: string, text: string): string[] {
      const format = {
        languageVersion: ts.ScriptTarget.ES2023,
        impliedNodeFormat: ts.ModuleKind.ESNext,
      } as const
      files.set(file, ts.createSourceFile(file, text, format))
      const { program, source } = open(file)
      const problems = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
      return problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
    },
  }
}
