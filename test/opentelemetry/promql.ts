import { parser } from '@prometheus-io/lezer-promql';

/** A vector selector of a PromQL expression. */
export interface Selector {
  /** Matches the whole name of a metric. */
  readonly name: RegExp;
  /** The labels that it matches on. */
  readonly labels: readonly string[];
  readonly text: string;
}

/** What a PromQL expression reads. */
export interface Query {
  readonly selectors: readonly Selector[];
  /** The labels that aggregations keep. */
  readonly grouping: readonly string[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];

function descendants(node: Node, name: string): Node[] {
  const found: Node[] = [];
  node.cursor().iterate((at) => {
    if (at.name === name) found.push(at.node);
  });
  return found;
}

const anything = /[\s\S]/;
const exactly = (source: string): RegExp => new RegExp(`^(?:${source})$`);

/** Parses an expression by the grammar of Prometheus' own editor. Throws where it is not valid. */
export function parseQuery(expression: string): Query {
  const tree = parser.parse(expression);
  const textOf = ({ from, to }: Node) => expression.slice(from, to);
  tree.iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`not PromQL at ${node.from}: ${expression}`);
    },
  });
  const selectors = descendants(tree.topNode, 'VectorSelector').map((selector): Selector => {
    const [identifier] = descendants(selector, 'Identifier');
    const matchers = descendants(selector, 'UnquotedLabelMatcher').map((matcher) => {
      const [, label = '', , value = ''] = /^\s*(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(textOf(matcher)) ?? [];
      return { label, value };
    });
    const byName = matchers.find(({ label }) => label === '__name__');
    return {
      name: identifier ? exactly(textOf(identifier)) : byName ? exactly(byName.value) : anything,
      labels: matchers.map(({ label }) => label).filter((label) => label !== '__name__'),
      text: textOf(selector),
    };
  });
  const grouping = descendants(tree.topNode, 'GroupingLabels').flatMap((labels) =>
    descendants(labels, 'LabelName').map(textOf),
  );
  return { selectors, grouping };
}
