package cmd

var RootCommand = rootCommand
