/**
 * From a schema to plain code that answers whether a value has its decoded form: the same answer as the schema library's,
 * without the library. It knows what the stored records are made of, and fails the build for anything else. Pure.
 */
const jsonSchema = Symbol.for("@effect/schema/annotation/JSONSchema")

const text = JSON.stringify

/** What a filter asks of a value, by what it says of itself for JSON Schema. */
const filters = {
  type: (type, value) => {
    if (type !== "integer") throw new Error(`no check for the type ${type}`)
    return `Number.isSafeInteger(${value})`
  },
  minimum: (minimum, value) => `${value} >= ${minimum}`,
  exclusiveMinimum: (minimum, value) => `${value} > ${minimum}`,
  minItems: (count, value) => `${value}.length >= ${count}`,
  pattern: (pattern, value) => `${new RegExp(pattern)}.test(${value})`
}

const keywords = {
  StringKeyword: (value) => `typeof ${value} === "string"`,
  NumberKeyword: (value) => `typeof ${value} === "number"`,
  BooleanKeyword: (value) => `typeof ${value} === "boolean"`,
  UnknownKeyword: () => "true"
}

const isRecord = (value) => `typeof ${value} === "object" && ${value} !== null && !Array.isArray(${value})`

const all = (conditions) => conditions.map((each) => `(${each})`).join(" && ")

/** Code of a condition on the expression `value`; `functions` collects the functions that it calls. */
const conditionOf = (ast, value, functions) => {
  const inner = (part, expression) => conditionOf(part, expression, functions)
  /** A condition as a function of its own, for values that are looked at more than once. */
  const call = (part) => {
    const name = `is${functions.length}`
    functions.push("")
    functions[Number(name.slice(2))] = `const ${name} = (v) => ${inner(part, "v")}`
    return name
  }
  const keyword = keywords[ast._tag]
  if (keyword !== undefined) return keyword(value)
  switch (ast._tag) {
    case "Literal":
      return `${value} === ${text(ast.literal)}`
    case "Union":
      return ast.types.map((type) => `(${inner(type, value)})`).join(" || ")
    case "Refinement": {
      const asked = Object.entries(ast.annotations[jsonSchema] ?? {})
      if (asked.length === 0) throw new Error(`a filter says nothing of itself: ${ast}`)
      return all([
        inner(ast.from, value),
        ...asked.map(([name, bound]) => {
          if (filters[name] === undefined) throw new Error(`no check for the filter ${name}`)
          return filters[name](bound, value)
        })
      ])
    }
    case "TupleType": {
      if (ast.elements.length > 0 || ast.rest.length !== 1) throw new Error("no check for a tuple")
      return all([`Array.isArray(${value})`, `every(${value}, ${call(ast.rest[0].type)})`])
    }
    case "TypeLiteral":
      return all([
        isRecord(value),
        ...ast.propertySignatures.map(({ isOptional, name, type }) => {
          const own = `Object.hasOwn(${value}, ${text(name)})`
          const held = `${call(type)}(${value}[${text(name)}])`
          return isOptional ? `!${own} || ${held}` : `${own} && ${held}`
        }),
        ...ast.indexSignatures.map(({ parameter, type }) => {
          if (parameter._tag !== "StringKeyword") throw new Error("no check for keys that are not any text")
          return `every(Object.values(${value}), ${call(type)})`
        })
      ])
    default:
      throw new Error(`no check for ${ast._tag}`)
  }
}

/** Looks at holes too, which `Array.prototype.every` leaves out. */
const every = `const every = (values, is) => {
  for (const value of values) if (!is(value)) return false
  return true
}`

/** Code of an expression: a function from a value to whether it has the form that the schema decodes to. */
export const checkOf = (schema) => {
  const functions = []
  const condition = conditionOf(schema.ast, "v", functions)
  return `(() => {\n${every}\n${functions.join("\n")}\nreturn (v) => ${condition}\n})()`
}
