import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const contract = fileURLToPath(new URL('../../src/contract/', import.meta.url));

/** The doc comments of every interface of the contract's files, by interface and field. */
function readComments(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const comments = new Map<string, ReadonlyMap<string, string>>();
  for (const file of ['params.ts', 'responses.ts', 'events.ts']) {
    const source = ts.createSourceFile(
      file,
      readFileSync(contract + file, 'utf8'),
      ts.ScriptTarget.ES2022,
      true,
    );
    source.forEachChild((node) => {
      if (!ts.isInterfaceDeclaration(node)) return;
      const fields = node.members.flatMap((member) => {
        const text = commentOf(member);
        return member.name === undefined || text === undefined
          ? []
          : [[member.name.getText(), text] as const];
      });
      comments.set(node.name.text, new Map(fields));
    });
  }
  return comments;
}

function commentOf(node: ts.Node): string | undefined {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  if (!comment || !ts.isJSDoc(comment)) return undefined;
  return ts.getTextOfJSDocComment(comment.comment)?.replace(/\s+/g, ' ');
}

const comments = readComments();

/** What a field of an interface means, in the words of its doc comment. */
export const descriptionOf = (owner: string, field: string): string | undefined =>
  comments.get(owner)?.get(field);
