// What graphql-js, the reference implementation, makes of requests to the schema.
import { readFileSync } from 'node:fs';
import {
  GraphQLError, buildSchema, execute, getNullableType, getOperationAST, getVariableValues, isEnumType, isListType, parse, validate, valueFromASTUntyped,
} from 'graphql';

const schema = buildSchema(readFileSync(new URL('../../schema.graphqls', import.meta.url), 'utf8'));

const dateTime = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** parseDateTime reads RFC 3339, as the schema says. */
function parseDateTime(value) {
  const [, year, month, day, ...time] = dateTime.exec(typeof value === 'string' ? value.toUpperCase() : '') ?? [];
  const date = new Date(Date.UTC(year, month - 1, day));
  const is = date.getUTCMonth() === month - 1 && date.getUTCDate() === Number(day) && time[0] < 24 && time[1] < 60 && time[2] < 60;
  if (!is) throw new GraphQLError('DateTime cannot represent the value');
  return value;
}

Object.assign(schema.getType('DateTime'), {
  parseValue: parseDateTime,
  parseLiteral: (node, variables) => parseDateTime(valueFromASTUntyped(node, variables)),
});

/** some returns a value of a type, so that nothing fails but for what the request says. */
function some(type) {
  const of = getNullableType(type);
  if (isListType(of)) return [some(of.ofType)];
  if (isEnumType(of)) return of.getValues()[0].value;
  return { String: 's', ID: 'i', Int: 1, Boolean: true, DateTime: 't' }[of.name] ?? {};
}

/**
 * judge returns where a request is refused, `parse`, `validation`, `operation` or
 * `variables`; else `field`, where a field fails, or `ok`, with the values of its variables.
 */
function judge({ query, operationName, variables = '{}' }) {
  let document;
  try {
    document = parse(query);
  } catch {
    return { verdict: 'parse' };
  }
  if (validate(schema, document).length > 0) return { verdict: 'validation' };
  const operation = getOperationAST(document, operationName);
  if (!operation) return { verdict: 'operation' };
  const given = JSON.parse(variables);
  const { errors, coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], given);
  if (errors) return { verdict: 'variables' };
  const result = execute({
    schema, document, operationName, variableValues: given,
    fieldResolver: (_source, _args, _context, info) => some(info.returnType),
    typeResolver: (_value, _context, _info, type) => schema.getPossibleTypes(type)[0].name,
  });
  if (!('data' in result)) throw new Error(`not executed: ${result.errors}`);
  return { verdict: result.errors ? 'field' : 'ok', coerced };
}

/** verdicts returns the requests with what graphql-js says, and what the server says instead. */
export function verdicts(cases, deliberate) {
  const names = new Set(cases.map(({ name }) => name));
  if (names.size !== cases.length) throw new Error('two cases have one name');
  const unknown = Object.keys(deliberate).filter((name) => !names.has(name));
  if (unknown.length > 0) throw new Error(`deliberate names no case: ${unknown}`);
  return cases.map((request) => {
    const reference = judge(request);
    return { ...request, ...reference, ...(deliberate[request.name] && { server: deliberate[request.name] }) };
  });
}
