/** Texts of the explorer. Each row: English, Spanish, Portuguese. `{n}` is a value. */
export const explorer = {
  'explorer.operation': ['Operation', 'Operación', 'Operação'],
  'explorer.operations': ['Operations to try', 'Operaciones para probar', 'Operações para testar'],
  'explorer.variables': ['Variables (JSON)', 'Variables (JSON)', 'Variáveis (JSON)'],
  'explorer.run': ['Run', 'Ejecutar', 'Executar'],
  'explorer.stop': ['Stop', 'Detener', 'Parar'],
  'explorer.answer': ['Answer', 'Respuesta', 'Resposta'],
  'explorer.none': [
    'Run the operation to see its answer.',
    'Ejecute la operación para ver su respuesta.',
    'Execute a operação para ver a resposta.',
  ],
  'explorer.waiting': ['Waiting for the answer …', 'Esperando la respuesta …', 'Aguardando a resposta …'],
  'explorer.wrongVariables': [
    'The variables are no JSON object, such as {"identifier": "99.010.001/0001-84"}.',
    'Las variables no son un objeto JSON, como {"identifier": "99.010.001/0001-84"}.',
    'As variáveis não são um objeto JSON, como {"identifier": "99.010.001/0001-84"}.',
  ],
  'explorer.wrongOperation': ['The operation cannot be read.', 'La operación no se puede leer.', 'A operação não pode ser lida.'],
  'explorer.wrongAt': [
    'The operation cannot be read from line {line}, column {column}.',
    'La operación no se puede leer desde la línea {line}, columna {column}.',
    'A operação não pode ser lida a partir da linha {line}, coluna {column}.',
  ],
  'explorer.docs': ['Schema', 'Esquema', 'Esquema'],
  'explorer.type': ['Type', 'Tipo', 'Tipo'],
  'explorer.scenario': ['Company of the sandbox', 'Empresa del sandbox', 'Empresa do sandbox'],
  'explorer.choose': ['Choose a scenario', 'Elija un escenario', 'Escolha um cenário'],
  'explorer.key': ['Key of this tab: …{end}', 'Clave de esta pestaña: …{end}', 'Chave desta aba: …{end}'],
  'explorer.forget': ['Remove the key', 'Quitar la clave', 'Remover a chave'],
  'explorer.use': ['Use this key', 'Usar esta clave', 'Usar esta chave'],
  'explorer.noKey': [
    'Operations need an API key; the schema and completion do not. In the sandbox, npm start prints a link with a key.',
    'Las operaciones necesitan una clave de API; el esquema y el autocompletado, no. En el sandbox, npm start imprime un enlace con una clave.',
    'As operações precisam de uma chave de API; o esquema e o autocompletar, não. No sandbox, npm start imprime um link com uma chave.',
  ],
} as const;
