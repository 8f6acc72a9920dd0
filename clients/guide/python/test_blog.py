import asyncio
import os
import unittest

from blog import connect, rename, titles
from blog_client.exceptions import GraphQLClientGraphQLMultiError

client = connect(os.environ["BROADSHEET_URL"], "alice")


class Blog(unittest.TestCase):
    def test_all(self):
        asyncio.run(self.run_all())

    async def run_all(self):
        self.assertEqual(len(await titles(client, 2)), 10)
        with self.assertRaises(GraphQLClientGraphQLMultiError) as refused:
            await client.feed(first=500)
        self.assertEqual(refused.exception.errors[0].extensions["code"], "BAD_USER_INPUT")
        answer = await rename(client, "alice_2")
        self.assertEqual(answer.user_errors, [])
        self.assertEqual(answer.user.username, "alice_2")
        self.assertIsNotNone(answer.user.bio)


unittest.main()
